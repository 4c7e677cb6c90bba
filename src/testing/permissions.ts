import type { RestOperation } from '@accord-api/platform/internals/core/contract/openapi';
import type { Account, Json, Person } from './client.js';
import { allows, type MatrixRow, mechanismsOf, rootFields, rowsOfField, rowsOfOperation } from './contract.js';
import { documentFor, type Field, queryField, soundArguments } from './graphql-fields.js';
import { type ConformanceOptions, type RequestContext, suite, type TestRunner } from './kit.js';
import type { TestService } from './service.js';
import { isOwned, requestContext, rolesIn, sendDraft, soundRequest, testedOperations } from './sound-request.js';

/**
 * Calls every operation and root field as every role, for resources of the caller and of others. The service answers 403 exactly
 * where the contract says so. Each call has a new account, because some calls delete it.
 */
export const permissions = suite(async (t, service, options) => {
  await t.test('REST: every operation as every role', async (t) => {
    for (const operation of testedOperations(service, options)) await ofOperation(t, service, options, operation);
  });
  await t.test('GraphQL: every root field as every role', async (t) => {
    for (const [name, field] of rootFields(service.contract.schema))
      if (options.only?.includes(name) ?? true) await ofField(t, service, options, name, field);
  });
});

/** Yields a caller of each role with its own resource, and with a resource of another account if possible. */
async function* callersOf(service: TestService, isOwned: boolean): AsyncGenerator<[Person, Account, boolean]> {
  const roles = rolesIn(service);
  for (const role of roles) {
    const person = await service.person(role);
    yield [person, person, true];
    if (isOwned) yield [await service.person(role), await service.account(roles.at(-2) ?? role), false];
  }
}

const nameOf = ({ name, when }: MatrixRow) => (when === undefined ? name : `${name} when ${when}`);

function meetCondition(
  { when }: MatrixRow,
  { conditions = {} }: ConformanceOptions,
  values: Json,
  context: RequestContext,
): void {
  if (when === undefined) return;
  const change = conditions[when];
  if (!change) throw new Error(`No request meets the condition "${when}". Add a function to \`conditions\`.`);
  change(values, context);
}

async function ofOperation(t: TestRunner, service: TestService, options: ConformanceOptions, operation: RestOperation) {
  const { method, operationId, permission, security } = operation;
  const isPublic = permission === 'public';
  const attempt = async (row: MatrixRow, caller: Person, owner: Account, credential: Record<string, string> = {}) => {
    const { draft, context } = await soundRequest(service, options, operation, { caller, owner });
    meetCondition(row, options, draft.body, context);
    return (await sendDraft(service, operation, { ...draft, as: { headers: credential } })).status;
  };
  const roles = rolesIn(service);
  const everybody: MatrixRow = { name: operationId, when: undefined, permissions: [] };
  for (const row of isPublic ? [everybody] : rowsOfOperation(operation)) {
    const name = nameOf(row);
    const nobody = isPublic ? undefined : await service.person(roles[0] as string);
    if (nobody) t.equal(await attempt(row, nobody, nobody), 401, `${name} by nobody`);
    // An operation that is not implemented answers 501 to any account.
    if (service.app.notWritten.includes(operationId)) continue;
    for await (const [person, owner, own] of isPublic ? [] : callersOf(service, isOwned(options, operation))) {
      const status = await attempt(row, person, owner, person.headers);
      const message = `${name} by ${person.role}, ${own ? 'own' : "another's"}: ${status}`;
      t.equal(status === 403, !allows(row, person.role, own), message);
      t.ok(status !== 401 && status < 500, message);
    }
    const role = roles.findLast((role) => allows(row, role, true));
    for (const mechanism of role === undefined ? [] : service.mechanisms) {
      const isAccepted = mechanismsOf(operation).has(mechanism);
      // A public operation ignores other credentials, or rejects them.
      if (isPublic && !isAccepted) continue;
      const person = await service.person(role as string);
      const status = await attempt(row, person, person, (await service.credentialsOf(person))[mechanism]);
      t.equal(!isDenied(status), isAccepted, `${name} by ${mechanism}: ${status}`);
    }
  }
  if (!isPublic || method !== 'GET' || security.length > 0) return;
  const { draft } = await soundRequest(service, options, operation);
  const { status } = await sendDraft(service, operation, { ...draft, headers: {} });
  t.ok(!isDenied(status), `${operationId} by nobody: ${status}`);
}

const isDenied = (status: number): boolean => status === 401 || status === 403;

async function ofField(t: TestRunner, service: TestService, options: ConformanceOptions, name: string, field: Field) {
  const attempt = async (row: MatrixRow, caller: Person, owner: Account, headers: Record<string, string>) => {
    const context = requestContext(service, caller, owner);
    const given = await soundArguments(options, name, field, context);
    meetCondition(row, options, given, context);
    return queryField({ service, options, name, ...documentFor(name, [{ field }], [given]), headers, context });
  };
  for (const row of rowsOfField(service.contract.schema, name, field)) {
    const nobody = await service.person(rolesIn(service)[0] as string);
    const anonymous = await attempt(row, nobody, nobody, {});
    t.equal(String(anonymous.codes), 'UNAUTHENTICATED', `${nameOf(row)} by nobody`);
    t.equal(anonymous.data ?? null, null, `${nameOf(row)} by nobody: no data`);
    if (service.app.notWritten.includes(name)) continue;
    for await (const [person, owner, own] of callersOf(service, name in (options.fields ?? {}))) {
      const { codes } = await attempt(row, person, owner, person.headers);
      const message = `${nameOf(row)} by ${person.role}, ${own ? 'own' : "another's"}: ${codes}`;
      t.equal(codes.includes('FORBIDDEN'), !allows(row, person.role, own), message);
      const isServerError = (code: string) => (service.application.errors[code]?.status ?? 500) >= 500;
      const isWrong = (code: string) => ['UNAUTHENTICATED', 'BAD_REQUEST'].includes(code) || isServerError(code);
      t.ok(!codes.some(isWrong), message);
    }
  }
}
