import type { Application } from '@accord-api/platform/internals/application';
import type { Operation } from '@accord-api/platform/internals/contract/openapi';
import type { Asked, Cases, ConformanceOptions } from './conformance-options.js';
import { askField, type Field, requestFor, soundArguments } from './graphql-fields.js';
import { withService } from './kit.js';
import { allows, type Line, linesOfField, linesOfOperation, mechanismsOf, rootFields } from './matrix.js';
import type { Account, Json, Person, Ways } from './people.js';
import type { TestService } from './service.js';
import { addressOf, asked, isOwned, rolesIn, soundRequest, triedIn } from './sound-request.js';

/**
 * Every operation and every root field, by every role, to one's own and to another's: refused as FORBIDDEN where the contract
 * says so, and nowhere else; nobody without a credential; and by each mechanism as the contract says. Whoever tries is made for
 * it, for some of what is tried ends an account.
 */
export async function permissions<Own extends object>(
  t: Cases,
  application: Application<Own>,
  team: ConformanceOptions<Own> = {},
): Promise<void> {
  await withService(t, application, team, {}, async (service, options) => {
    const { schema } = service.contract;
    const isTried = (name: string) => options.only?.includes(name) ?? true;
    await t.test('REST: every operation, by every role', async (t) => {
      for (const operation of triedIn(service, options)) await ofOperation(t, service, options, operation);
    });
    await t.test('GraphQL: every root field, by every role', async (t) => {
      for (const [name, field] of rootFields(schema).filter(([name]) => isTried(name))) {
        await ofField(t, service, options, name, field);
      }
    });
  });
}

/** Who tries: somebody of each role, at what is their own, and at another's where there can be such. */
async function* triesOf(service: TestService, byOthers: boolean): AsyncGenerator<[Person, Account, boolean]> {
  const roles = rolesIn(service);
  for (const role of roles) {
    const person = await service.person(role);
    yield [person, person, true];
    if (byOthers) yield [await service.person(role), await service.account(roles.at(-2) ?? role), false];
  }
}

const nameOf = ({ name, when }: Line) => (when === undefined ? name : `${name} when ${when}`);

/** Has a sound request meet the condition of a line. */
function meet({ when }: Line, { conditions = {} }: ConformanceOptions, values: Json, about: Asked): void {
  if (when === undefined) return;
  const met = conditions[when];
  if (!met) throw new Error(`How does a request meet the condition "${when}"? Say so under \`conditions\`.`);
  met(values, about);
}

async function ofOperation(t: Cases, service: TestService, options: ConformanceOptions, operation: Operation) {
  if (operation.permission === 'public') return ofPublicOperation(t, service, options, operation);
  const attempt = async (line: Line, caller: Person, owner: Account, headers: Record<string, string> | undefined) => {
    const { draft, about } = await soundRequest(service, options, operation, { caller, owner });
    meet(line, options, draft.body, about);
    const request = { headers: { ...draft.headers, ...headers }, body: draft.body };
    return (await service.rest(operation.method, addressOf(operation, draft), request)).status;
  };
  const roles = rolesIn(service);
  for (const line of linesOfOperation(operation)) {
    const name = nameOf(line);
    const nobody = await service.person(roles[0] as string);
    t.equal(await attempt(line, nobody, nobody, undefined), 401, `${name} by nobody`);
    // What is not written yet is refused to nobody else.
    if (service.app.notWritten.includes(operation.operationId)) continue;
    for await (const [person, owner, own] of triesOf(service, isOwned(options, operation))) {
      const status = await attempt(line, person, owner, person.headers);
      const what = `${name} by ${person.role}, ${own ? 'own' : "another's"}: ${status}`;
      t.equal(status === 403, !allows(line, person.role, own), what);
      t.ok(status !== 401 && status < 500, what);
    }
    const role = roles.findLast((one) => allows(line, one, true));
    if (role === undefined) continue;
    for (const mechanism of service.mechanisms) {
      const person = await service.person(role);
      const ways: Ways = await service.waysOf(person);
      const status = await attempt(line, person, person, ways[mechanism]);
      const taken = mechanismsOf(operation).has(mechanism);
      t.equal(status !== 401 && status !== 403, taken, `${name} by ${mechanism}: ${status}`);
    }
  }
}

/** What is open takes a request without a credential, and each credential that it names, in place of a body that may be left out. */
async function ofPublicOperation(t: Cases, service: TestService, options: ConformanceOptions, operation: Operation) {
  const { method, operationId, security } = operation;
  for (const mechanism of service.mechanisms) {
    if (!mechanismsOf(operation).has(mechanism)) continue;
    const person = await service.person(rolesIn(service)[0] as string);
    const { draft } = await soundRequest(service, options, operation, { caller: person, owner: person });
    const headers = { ...draft.headers, ...(await service.waysOf(person))[mechanism] };
    const { status } = await service.rest(method, addressOf(operation, draft), { headers, body: draft.body });
    t.ok(status !== 401 && status !== 403, `${operationId} by ${mechanism}: ${status}`);
  }
  if (method !== 'GET' || security.length > 0) return;
  const { draft } = await soundRequest(service, options, operation);
  const { status } = await service.rest(method, addressOf(operation, draft));
  t.ok(status !== 401 && status !== 403, `${operationId} by nobody: ${status}`);
}

async function ofField(t: Cases, service: TestService, options: ConformanceOptions, name: string, field: Field) {
  const { fields = {} } = options;
  const attempt = async (line: Line, caller: Person, owner: Account, headers: Record<string, string>) => {
    const about = asked(service, caller, owner);
    const given = await soundArguments(options, name, field, about);
    meet(line, options, given, about);
    return askField({ service, options, name, ...requestFor(name, [{ field }], [given]), headers, about });
  };
  for (const line of linesOfField(service.contract.schema, name, field)) {
    const nobody = await service.person(rolesIn(service)[0] as string);
    const anonymous = await attempt(line, nobody, nobody, {});
    t.equal(String(anonymous.codes), 'UNAUTHENTICATED', `${nameOf(line)} by nobody`);
    t.equal(anonymous.data ?? null, null, `${nameOf(line)} by nobody: no data`);
    if (service.app.notWritten.includes(name)) continue;
    for await (const [person, owner, own] of triesOf(service, name in fields)) {
      const { codes } = await attempt(line, person, owner, person.headers);
      const what = `${nameOf(line)} by ${person.role}, ${own ? 'own' : "another's"}: ${codes}`;
      t.equal(codes.includes('FORBIDDEN'), !allows(line, person.role, own), what);
      const isOurs = (code: string) => (service.application.errors[code]?.status ?? 500) >= 500;
      t.ok(!codes.includes('UNAUTHENTICATED') && !codes.includes('BAD_REQUEST') && !codes.some(isOurs), what);
    }
  }
}
