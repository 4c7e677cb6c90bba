import { rolesOf } from '@accord-api/platform/internals/core/calls/access';
import type { Parameter } from '@accord-api/platform/internals/core/contract/document';
import { type BodyForm, bodyForms, type RestOperation } from '@accord-api/platform/internals/core/contract/openapi';
import { parameterForm, schemaOf, textsOf } from '@accord-api/platform/internals/core/contract/parameter-form';
import { mergeSchema } from '@accord-api/platform/internals/core/contract/schemas';
import type { Account, Json, Person, RestAnswer } from './client.js';
import { allows, type MatrixRow, parameterNames, rowsOfOperation } from './contract.js';
import type { ConformanceOptions, Draft, RequestContext } from './kit.js';
import type { TestService } from './service.js';
import { isValid } from './values.js';

let requests = 0;

export function requestContext(service: TestService, caller: Account | undefined, owner: Account): RequestContext {
  requests += 1;
  return { service, caller, owner, number: requests };
}

/** Returns the roles of an application, in the order of its contracts. */
export const rolesIn = ({ application }: TestService): string[] => [...rolesOf(application.policy)];

export const testedOperations = ({ contract }: TestService, { only }: ConformanceOptions): RestOperation[] =>
  contract.operations.filter(({ operationId }) => only?.includes(operationId) ?? true);

/** Returns true if the resource of a path can belong to another account than the caller. */
export const isOwned = (
  { accounts = [], make = {} }: ConformanceOptions,
  { path }: Pick<RestOperation, 'path'>,
): boolean => {
  const names = parameterNames(path);
  return names.length > 0 && names.every((name) => accounts.includes(name) || name in make);
};

function exampleOf(parameter: Parameter): unknown {
  const { content = {}, example, examples = {} } = parameter;
  const schema = schemaOf(parameter);
  const media = Object.values(content)[0];
  const [named] = Object.values({ ...examples, ...media?.examples });
  const [listed] = (schema['examples'] as unknown[] | undefined) ?? [];
  return example ?? media?.example ?? named?.value ?? schema['example'] ?? listed ?? mergeSchema(schema).enum?.[0];
}

async function parameterValue(
  { accounts = [], make = {}, makeOwn = {} }: ConformanceOptions,
  { operationId }: RestOperation,
  parameter: Parameter,
  context: RequestContext,
): Promise<unknown> {
  const { name, in: place } = parameter;
  if (place === 'path' && accounts.includes(name)) return context.owner.id;
  const maker = place === 'path' ? (make[name] ?? makeOwn[name]) : undefined;
  const value = maker ? await maker(context) : exampleOf(parameter);
  if (value !== undefined) return value;
  const remedy = place === 'path' ? ', or create its resource with `make` or `accounts`' : '';
  throw new Error(`${operationId}: the ${place} parameter ${name} has no example. Add one to the contract${remedy}.`);
}

async function bodyOf(
  { bodies = {} }: ConformanceOptions,
  { operation, operationId }: RestOperation,
  { type, kind, schema = {} }: BodyForm,
  first: BodyForm,
  context: RequestContext,
): Promise<Json> {
  const { content = {}, required } = operation.requestBody ?? {};
  const exampleIn = (media: string): Json =>
    structuredClone(content[media]?.example ?? Object.values(content[media]?.examples ?? {})[0]?.value);
  // An example or a function for a JSON body does not describe a text.
  const isAlike = first.kind === kind;
  const own = isAlike ? bodies[operationId] : undefined;
  const examples = [type, ...(isAlike ? [first.type] : [])].map(exampleIn).filter((example) => example !== undefined);
  const made = await own?.(context, examples[0]);
  if (type !== first.type) return [made, ...examples].find((body) => body !== undefined && isValid(schema, body));
  if (own || !required) return made;
  if (examples.length > 0) return examples[0];
  throw new Error(
    `${operationId}: the request body has no example. Add one to the contract, or return a body from \`bodies\`.`,
  );
}

/** Returns the media type of a request for a media type or a range of the contract. */
const mediaTypeIn = (range: string): string => range.replace('*/*', 'x/x').replace('*', 'x');

/** Replaces the body of a draft. A JSON string is serialised here, because a draft sends strings unchanged. */
export const withBody = (draft: Draft, { type, kind }: BodyForm, value: unknown): Draft => ({
  ...draft,
  headers: { ...draft.headers, 'content-type': mediaTypeIn(type) },
  body: kind === 'json' && typeof value === 'string' ? JSON.stringify(value) : value,
});

export function withParameter(draft: Draft, parameter: Parameter, value: unknown): Draft {
  const { in: place, name } = parameter;
  if (place === 'query') return { ...draft, query: { ...draft.query, [name]: value } };
  const text = textsOf(name, parameterForm(parameter), value, String)[0]?.[1] ?? '';
  if (place === 'path') return { ...draft, path: { ...draft.path, [name]: text } };
  const header =
    place === 'header' ? { [name.toLowerCase()]: text } : { cookie: `${name}=${encodeURIComponent(text)}` };
  return { ...draft, headers: { ...draft.headers, ...header } };
}

/** Returns the person with the most permissions: for all resources, or else for its own; undefined for a public operation. */
export function callerOf({ people }: TestService, [first, ...others]: readonly MatrixRow[]): Person | undefined {
  const last = (own: boolean) =>
    Object.values(people).findLast(({ role }) => first && [first, ...others].every((row) => allows(row, role, own)));
  return last(false) ?? last(true);
}

/**
 * Returns a request that must succeed according to the contract, with values from its examples and the options.
 * @param who default: the role with the most permissions, and another account as the owner of the resource
 * @param form the media type of the body; default: the first of the contract
 */
export async function soundRequest(
  service: TestService,
  options: ConformanceOptions,
  operation: RestOperation,
  who: { caller?: Person | undefined; owner?: Account } = {},
  form?: BodyForm,
): Promise<{ draft: Draft; context: RequestContext }> {
  const { permission } = operation;
  const caller = 'caller' in who ? who.caller : callerOf(service, rowsOfOperation(operation));
  const reachesAll = permission === 'public' || (caller && permission[caller.role.toLowerCase()] === 'any');
  const other = () => service.account(rolesIn(service)[0] as string);
  const owner = who.owner ?? (isOwned(options, operation) && reachesAll ? await other() : (caller ?? (await other())));
  const context = requestContext(service, caller, owner);

  let draft: Draft = { as: caller, path: {}, query: {}, headers: {}, body: undefined };
  for (const parameter of operation.operation.parameters)
    if (parameter.in === 'path' || (parameter.required === true && parameter.in !== 'cookie'))
      draft = withParameter(draft, parameter, await parameterValue(options, operation, parameter, context));
  const [first] = bodyForms(operation);
  if (first === undefined) return { draft, context };
  const chosen = form ?? first;
  const body = await bodyOf(options, operation, chosen, first, context);
  if (body === undefined) return { draft, context };
  const whole = withBody(draft, chosen, body);
  // The client adds this type, so that a fault can remove the body.
  if (chosen.type === 'application/json') delete whole.headers['content-type'];
  return { draft: whole, context };
}

/** Returns the address of a draft: its path and query. Undeclared query parameters are texts. */
export function addressOf({ path, operation }: RestOperation, draft: Pick<Draft, 'path' | 'query'>): string {
  const pathname = path.replaceAll(/{(\w+)}/g, (_, name: string) => encodeURIComponent(draft.path[name] ?? ''));
  const pairs = Object.entries(draft.query).flatMap(([name, value]) => {
    const declared = operation.parameters.find((parameter) => parameter.in === 'query' && parameter.name === name);
    return textsOf(name, parameterForm(declared ?? { name, in: 'query' }), value, encodeURIComponent);
  });
  const query = pairs.map(([name, text]) => `${encodeURIComponent(name)}=${text}`).join('&');
  return query ? `${pathname}?${query}` : pathname;
}

export const sendDraft = (
  service: TestService,
  operation: RestOperation,
  { as, headers, body, ...address }: Draft,
): Promise<RestAnswer> => service.rest(operation.method, addressOf(operation, address), { as, headers, body });
