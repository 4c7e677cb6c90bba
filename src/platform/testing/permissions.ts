import {
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isRequiredArgument,
  isRequiredInputField,
  valueFromASTUntyped,
} from 'graphql';
import type { Application } from '../application.js';
import type { Permission } from '../contract/document.js';
import type { Operation } from '../contract/openapi.js';
import type { Cases, ConformanceOptions } from './conformance-options.js';
import { withService } from './kit.js';
import type { Account, Json, Person } from './people.js';
import type { TestService } from './service.js';
import { addressOf, asked, isOwned, rolesIn, soundRequest } from './sound-request.js';

/** One line of the matrix: what is asked for, besides what is always asked for, under the condition that it names. */
export interface Line {
  /** The operationId, or `Type.field`. */
  name: string;
  when: string | undefined;
  /** All that counts, its own among them. */
  permissions: Permission[];
}

/** The lines of what has several permissions: the one that always counts, and each further one together with it. */
function linesOf(name: string, [always, ...further]: Permission[]): Line[] {
  if (always === undefined) return [];
  return [
    { name, when: undefined, permissions: [always] },
    ...further.map((one) => ({ name, when: one.when, permissions: [always, one] })),
  ];
}

/** Whether permissions let a role do it to its own, or to another's. */
const allows = (permissions: readonly Permission[], role: string, own: boolean): boolean =>
  permissions.every((one) => one[role.toLowerCase()] === 'any' || (one[role.toLowerCase()] === 'own' && own));

/** The `@permission`s of a root field, in the words of `x-permission`; those that always count first. */
function permissionsOf({ astNode }: GraphQLField<unknown, unknown>): Permission[] {
  const stated = (astNode?.directives ?? [])
    .filter(({ name }) => name.value === 'permission')
    .map(({ arguments: given = [] }) => {
      const said = given.map(({ name, value }) => {
        const text = String(valueFromASTUntyped(value));
        return [name.value, value.kind === 'EnumValue' ? text.toLowerCase() : text];
      });
      return Object.fromEntries(said) as Permission;
    });
  return [...stated.filter(({ when }) => when === undefined), ...stated.filter(({ when }) => when !== undefined)];
}

function meet({ when }: Line, { conditions = {} }: ConformanceOptions, values: Json, about: Parameters<typeof asked>) {
  if (when === undefined) return;
  const met = conditions[when];
  if (!met) throw new Error(`How does a request meet the condition "${when}"? Say so under \`conditions\`.`);
  met(values, asked(...about));
}

/**
 * Every operation and every root field, by every role, to one's own and to another's: refused as FORBIDDEN where the contract
 * says so, and nowhere else; nobody without a credential; and by each mechanism as the contract says. Who is tried, and what, is
 * made for each request, for some of them end an account.
 */
export async function permissions(t: Cases, application: Application, options: ConformanceOptions = {}): Promise<void> {
  await withService(application, options, {}, async (service) => {
    await t.test('REST: every operation, by every role', async (t) => {
      for (const operation of service.contract.operations) await ofOperation(t, service, options, operation);
    });
    await t.test('GraphQL: every root field, by every role', async (t) => {
      const { schema } = service.contract;
      for (const type of [schema.getQueryType(), schema.getMutationType()])
        for (const field of Object.values(type?.getFields() ?? {}))
          await ofField(t, service, options, `${type?.name}.${field.name}`, field);
    });
  });
}

/** Who tries: somebody of each role, at what is their own, and at another's where there can be such. */
async function* triesOf(service: TestService, byOthers: boolean): AsyncGenerator<[Person, Account, boolean]> {
  for (const role of rolesIn(service)) {
    const person = await service.person(role);
    yield [person, person, true];
    const another = await service.person(role);
    // Somebody like the last: what an administrator may do to the others counts most.
    if (byOthers) yield [another, await service.account(rolesIn(service).at(-2) ?? role), false];
  }
}

async function ofOperation(t: Cases, service: TestService, options: ConformanceOptions, operation: Operation) {
  const { permission, furtherPermissions, operationId, security } = operation;
  if (permission === 'public') return ofPublicOperation(t, service, options, operation);
  const attempt = async (line: Line, caller: Person, owner: Account, headers: Record<string, string>) => {
    const { draft, about } = await soundRequest(service, options, operation, { caller, owner });
    if (line.when !== undefined) draft.body = structuredClone(draft.body);
    meet(line, options, draft.body, [about.service, about.caller, about.owner]);
    const { body } = draft;
    return (await service.rest(operation.method, addressOf(operation, draft), { headers, body })).status;
  };
  const isWritten = !service.app.notWritten.includes(operationId);
  for (const line of linesOf(operationId, [permission, ...furtherPermissions])) {
    const name = line.when === undefined ? operationId : `${operationId} when ${line.when}`;
    const nobody = await service.person(rolesIn(service)[0] as string);
    t.equal(await attempt(line, nobody, nobody, {}), 401, `${name} by nobody`);
    if (!isWritten) continue;
    for await (const [person, owner, own] of triesOf(service, isOwned(options, operation))) {
      const status = await attempt(line, person, owner, person.headers);
      const what = `${name} by ${person.role}, ${own ? 'own' : "another's"}: ${status}`;
      t.equal(status === 403, !allows(line.permissions, person.role, own), what);
      t.ok(status !== 401, what);
    }
    const mechanisms = new Set(security.flatMap(Object.keys));
    const role = rolesIn(service).findLast((one) => allows(line.permissions, one, true));
    const some = role === undefined ? [] : Object.keys(await service.waysOf(await service.account(role)));
    for (const mechanism of some) {
      const person = await service.person(role as string);
      const ways = await service.waysOf(person);
      const status = await attempt(line, person, person, ways[mechanism as keyof typeof ways] ?? {});
      t.equal(status !== 401 && status !== 403, mechanisms.has(mechanism), `${name} by ${mechanism}: ${status}`);
    }
  }
}

/** What is open takes a request without a credential. */
async function ofPublicOperation(t: Cases, service: TestService, options: ConformanceOptions, operation: Operation) {
  const { method, operationId, security } = operation;
  if (method !== 'GET' || security.length > 0) return;
  const { draft } = await soundRequest(service, options, operation);
  const { status } = await service.rest(method, addressOf(operation, draft));
  t.ok(status !== 401 && status !== 403, `${operationId} by nobody: ${status}`);
}

/** A value that a type takes. */
function sampleOf(type: GraphQLInputType): Json {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return [];
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name;
  if (isInputObjectType(nullable)) {
    const required = Object.values(nullable.getFields()).filter(isRequiredInputField);
    return Object.fromEntries(required.map((field) => [field.name, sampleOf(field.type)]));
  }
  return { Int: 1, Float: 1, Boolean: true }[(nullable as { name: string }).name] ?? '1';
}

async function ofField(
  t: Cases,
  service: TestService,
  options: ConformanceOptions,
  name: string,
  field: GraphQLField<unknown, unknown>,
) {
  const make = options.fields?.[name] ?? options.ownFields?.[name];
  const byOthers = options.fields?.[name] !== undefined;
  const [type = '', fieldName = ''] = name.split('.');
  const isLeaf = isLeafType(getNamedType(field.type));
  const attempt = async (line: Line, caller: Person, owner: Account, headers: Record<string, string>) => {
    const about = asked(service, caller, owner);
    const required = field.args.filter(isRequiredArgument);
    const byType = Object.fromEntries(required.map((one) => [one.name, sampleOf(one.type)]));
    const variables: Json = make ? await make(about) : byType;
    meet(line, options, variables, [service, caller, owner]);
    const given = field.args.filter((one) => variables[one.name] !== undefined);
    const declared = given.map((one) => `$${one.name}: ${one.type}`).join(', ');
    const passed = given.map((one) => `${one.name}: $${one.name}`).join(', ');
    const selected = `${fieldName}${passed && `(${passed})`}${isLeaf ? '' : ' { __typename }'}`;
    const query = `${type.toLowerCase()}${declared && `(${declared})`} { ${selected} }`;
    return service.graphql({ headers }, query, variables);
  };
  const isWritten = !service.app.notWritten.includes(name);
  for (const line of linesOf(name, permissionsOf(field))) {
    const told = line.when === undefined ? name : `${name} when ${line.when}`;
    const nobody = await service.person(rolesIn(service)[0] as string);
    const anonymous = await attempt(line, nobody, nobody, {});
    t.equal(String(anonymous.codes), 'UNAUTHENTICATED', `${told} by nobody`);
    t.equal(anonymous.data ?? null, null, `${told} by nobody: no data`);
    if (!isWritten) continue;
    for await (const [person, owner, isOwn] of triesOf(service, byOthers)) {
      const { codes } = await attempt(line, person, owner, person.headers);
      const what = `${told} by ${person.role}, ${isOwn ? 'own' : "another's"}: ${codes}`;
      t.equal(codes.includes('FORBIDDEN'), !allows(line.permissions, person.role, isOwn), what);
      t.ok(!codes.includes('UNAUTHENTICATED') && !codes.includes('BAD_REQUEST'), what);
    }
  }
}
