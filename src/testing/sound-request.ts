import { rolesOf } from '@accord-api/platform/internals/calls/access';
import type { MediaType, Parameter, Permission } from '@accord-api/platform/internals/contract/document';
import type { Operation } from '@accord-api/platform/internals/contract/openapi';
import {
  type ParameterForm,
  parameterForm,
  schemaOf,
  textsOf,
} from '@accord-api/platform/internals/contract/parameter-form';
import { laidOpen } from '@accord-api/platform/internals/contract/schemas';
import { type BodyForm, bodyForms } from '@accord-api/platform/internals/rest/request-body';
import type { Asked, ConformanceOptions, Draft } from './conformance-options.js';
import type { Account, Json, Person } from './people.js';
import type { TestService } from './service.js';
import { isTakenBy } from './values.js';

let made = 0;

/** What a request is made for, with a number of its own. */
export function asked(service: TestService, caller: Account | undefined, owner: Account): Asked {
  made += 1;
  return { service, caller, owner, number: made };
}

/** The parameters in a template, in their order. */
export const parametersIn = (path: string): string[] => [...path.matchAll(/{(\w+)}/g)].map(([, name = '']) => name);

function exampleOf(parameter: Parameter): unknown {
  const { content = {}, example: own, examples: named = {} } = parameter;
  const schema = schemaOf(parameter);
  const ofMedia = Object.values(content)[0];
  const [first] = Object.values({ ...named, ...ofMedia?.examples });
  const [said] = (schema['examples'] as unknown[] | undefined) ?? [];
  return own ?? ofMedia?.example ?? first?.value ?? schema['example'] ?? said ?? laidOpen(schema).enum?.[0];
}

/** The text of a value where a separator stands as it is. */
export const textOf = (parameter: Parameter, value: unknown): string =>
  textsOf(parameter.name, parameterForm(parameter), value, String)[0]?.[1] ?? '';

async function pathOf(options: ConformanceOptions, { path, operation }: Operation, about: Asked) {
  const { accounts = [], make = {}, makeOwn = {} } = options;
  const entries = parametersIn(path).map(async (name) => {
    if (accounts.includes(name)) return [name, String(about.owner.id)] as const;
    const maker = make[name] ?? makeOwn[name];
    if (maker) return [name, String(await maker(about))] as const;
    const parameter = operation.parameters.find((one) => one.name === name && one.in === 'path');
    const example = parameter && exampleOf(parameter);
    if (parameter === undefined || example === undefined)
      throw new Error(
        `How is a ${name} made (${path})? Say so under \`make\`, name it under \`accounts\`, or give the parameter an example.`,
      );
    return [name, textOf(parameter, example)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** The parameters of a place that an operation cannot do without, with a value of each. */
const requiredIn = (place: 'query' | 'header', { operation, operationId }: Operation): [Parameter, unknown][] =>
  operation.parameters
    .filter((one) => one.in === place && one.required === true)
    .map((parameter) => {
      const example = exampleOf(parameter);
      if (example !== undefined) return [parameter, example];
      throw new Error(`What is a sound ${parameter.name} of ${operationId}? Give the parameter an example.`);
    });

const exampleIn = (content: MediaType | undefined): Json =>
  structuredClone(content?.example ?? Object.values(content?.examples ?? {})[0]?.value) as Json;

async function bodyOf(
  { bodies = {} }: ConformanceOptions,
  { operation, operationId }: Operation,
  about: Asked,
): Promise<Json> {
  const [content] = Object.values(operation.requestBody?.content ?? {});
  const example = exampleIn(content);
  const own = bodies[operationId];
  if (own) return own(about, example);
  if (!content || !operation.requestBody?.required) return undefined;
  if (example === undefined)
    throw new Error(
      `What is a sound body of ${operationId}? Give it an example in the contract, or say so under \`bodies\`.`,
    );
  return example;
}

/**
 * A body of another media type than the first: what the team makes of its example, that itself, or the first one's where that is of
 * its kind, whichever its schema takes; undefined where that takes none of them.
 */
async function laterBodyOf(
  { bodies = {} }: ConformanceOptions,
  operation: Operation,
  about: Asked,
  { type, kind, schema = {} }: BodyForm,
): Promise<Json> {
  const { content = {} } = operation.operation.requestBody ?? {};
  const [first] = bodyForms(operation) as [BodyForm];
  // Who makes a JSON body, or gives an example of one, says nothing of a text.
  const isAlike = first.kind === kind;
  const examples = () =>
    (isAlike ? [type, first.type] : [type]).map((one) => exampleIn(content[one])).filter((one) => one !== undefined);
  const own = isAlike ? bodies[operation.operationId] : undefined;
  const made = await own?.(about, examples()[0]);
  return [made, ...examples()].find((one) => one !== undefined && isTakenBy(schema, one));
}

/** A body as it is sent in a form: a text is sent as it is, so that one of JSON is written here. */
export const bodyIn = (form: BodyForm | undefined, value: unknown): Json =>
  (form?.kind === 'json' && typeof value === 'string' ? JSON.stringify(value) : value) as Json;

/** A media type as a request names it: one of the range that the contract has. */
export const sentAs = (type: string): string => type.replace('*/*', 'x/x').replace('*', 'x');

/** How far a role reaches by all that an operation asks for. */
const reaches = (permissions: readonly Permission[], role: string) =>
  permissions.map((permission) => permission[role.toLowerCase()]);

/** The role that may do it to whatever belongs to anybody, or else to its own; undefined where no credential is wanted. */
function callerOf(service: TestService, { permission, furtherPermissions }: Operation): Person | undefined {
  if (permission === 'public') return undefined;
  const people = Object.values(service.people);
  const all = [permission, ...furtherPermissions];
  const reaching = (reach: string) =>
    people.findLast(({ role }) => reaches(all, role).every((one) => one === 'any' || one === reach));
  return reaching('any') ?? reaching('own');
}

/** Whether what the path names may belong to somebody else than the caller. */
export const isOwned = (
  { accounts = [], make = {} }: ConformanceOptions,
  { path }: Pick<Operation, 'path'>,
): boolean => {
  const named = parametersIn(path);
  return named.length > 0 && named.every((name) => accounts.includes(name) || name in make);
};

/** The operations that are tried. */
export const triedIn = ({ contract }: TestService, { only }: ConformanceOptions): Operation[] =>
  contract.operations.filter(({ operationId }) => only?.includes(operationId) ?? true);

/** The roles of an application, in the order of its contracts. */
export const rolesIn = ({ application }: TestService): string[] => [...rolesOf(application.policy)];

/**
 * A request to which the contract promises success, made from the contract's own examples and from what the team says.
 * @param who sends it, and whose is what it names; the role that reaches furthest, and somebody else
 * @param form of its body; the first one of the contract
 */
export async function soundRequest(
  service: TestService,
  options: ConformanceOptions,
  operation: Operation,
  who: { caller?: Person | undefined; owner?: Account } = {},
  form: BodyForm | undefined = bodyForms(operation)[0],
): Promise<{ draft: Draft; about: Asked }> {
  const caller = 'caller' in who ? who.caller : callerOf(service, operation);
  const reachesAny =
    operation.permission === 'public' || (caller && operation.permission[caller.role.toLowerCase()] === 'any');
  const other = () => service.account(rolesIn(service)[0] as string);
  const owner = who.owner ?? (isOwned(options, operation) && reachesAny ? await other() : (caller ?? (await other())));
  const about = asked(service, caller, owner);
  const path = await pathOf(options, operation, about);
  const isFirst = form?.type === bodyForms(operation)[0]?.type;
  const body = await (form === undefined || isFirst
    ? bodyOf(options, operation, about)
    : laterBodyOf(options, operation, about, form));
  // JSON is sent as such, unless it is of another media type.
  const isNamed = form && body !== undefined && form.type !== 'application/json';
  const query = requiredIn('query', operation).map(([{ name }, value]) => [name, value]);
  const named = requiredIn('header', operation).map(([parameter, value]) => [
    parameter.name.toLowerCase(),
    textOf(parameter, value),
  ]);
  const headers: Draft['headers'] = {
    ...Object.fromEntries(named),
    ...(isNamed && { 'content-type': sentAs(form.type) }),
  };
  return { draft: { as: caller, path, query: Object.fromEntries(query), headers, body: bodyIn(form, body) }, about };
}

/** The address of a draft: the template filled in. */
export function addressOf({ path, operation }: Operation, draft: Pick<Draft, 'path' | 'query'>): string {
  const formIn = (place: Parameter['in'], name: string) => {
    const parameter = operation.parameters.find((one) => one.in === place && one.name === name);
    return parameter && parameterForm(parameter);
  };
  const pathname = path.replaceAll(/{(\w+)}/g, (_, name: string) => {
    const escaped = encodeURIComponent(draft.path[name] ?? '');
    return formIn('path', name)?.kind === 'list' ? escaped.replaceAll('%2C', ',') : escaped;
  });
  const pairs = Object.entries(draft.query).flatMap(([name, value]) =>
    textsOf(name, formIn('query', name) ?? TEXT, value, encodeURIComponent),
  );
  const query = pairs.map(([name, text]) => `${encodeURIComponent(name)}=${text}`).join('&');
  return query ? `${pathname}?${query}` : pathname;
}

/** What is not declared. */
const TEXT: ParameterForm = { kind: 'scalar', types: ['string'] };
