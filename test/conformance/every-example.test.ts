import t from 'tap';
import { demo } from '../../src/application/seed.js';
import { rolesIn } from '../../src/platform/core/contract/document.js';
import { normaliseOpenApi, operations, type RestOperation } from '../../src/platform/core/contract/openapi.js';
import type { RestAnswer } from '../../src/testing/index.js';
import { memoryDatabase } from '../support/databases.js';
import { bySideEffect, type ShownRequest, shownAnswer, shownRequests } from '../support/examples.js';
import { startInstance } from '../support/service.js';

/** The answers differ between processes. */
const UNSTABLE = ['getJwks', 'getMetrics'];

/** Returns the lowest role that may call an operation. Contracts list roles from the lowest to the highest. */
const lowestRole = ({ permission }: RestOperation): string | undefined =>
  permission === 'public' ? undefined : rolesIn(permission).find((role) => permission[role] !== 'none');

/** Replaces variable values: times, tokens, cursors, and the instance of a failure. */
function steady(value: unknown, key?: string): unknown {
  if (Array.isArray(value)) return value.map((item) => steady(item));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, steady(member, name)]));
  }
  if (typeof value !== 'string' || value === '') return value;
  if (key === 'next' || key === 'instance') return `<${key}>`;
  if (key === 'type') return value.replace(/^http:\/\/[^/]+/, '');
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return '<time>';
  return /^\w{2,4}_[\w-]{43}$|^eyJ[\w-]+(\.[\w-]+)+$/.test(value) ? '<token>' : value;
}

/** Reduces a value to the members of an example. */
function likeExample(value: unknown, example: unknown): unknown {
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return value;
  const members = value as Record<string, unknown>;
  return Object.fromEntries(Object.entries(example).map(([key, member]) => [key, likeExample(members?.[key], member)]));
}

t.test('the demo', async (t) => {
  const database = await memoryDatabase(t);
  await demo.seed(database.client);
  const service = await startInstance(t, database);
  const { url, rest } = service;
  const document = normaliseOpenApi(await (await service.fetch('/openapi.json')).json());
  const basic = (role: string) => {
    const { email, password } = demo.people.find((person) => person.role === role) ?? demo.people[0];
    return { authorization: `Basic ${btoa(`${email}:${password}`)}` };
  };

  const sent = async (operation: RestOperation, request: ShownRequest): Promise<RestAnswer> => {
    const role = request.role ?? lowestRole(operation);
    const headers = { origin: url, ...(role !== undefined && basic(role)), ...request.headers };
    const { path, body } = request;
    return rest(operation.method, path, { headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  };

  /** Waits until the resource in `Location` has changed. */
  const done = async (operation: RestOperation, { headers, body }: RestAnswer): Promise<void> => {
    const as = { headers: basic(lowestRole(operation) ?? '') };
    const look = async () => (await rest('GET', headers.get('location') ?? '', { as })).body;
    while (JSON.stringify(await look()) === JSON.stringify(body)) await new Promise((end) => setTimeout(end, 100));
  };

  t.test('every parameter and every body has an example', async (t) => {
    for (const { operationId, operation } of operations(document)) {
      const bodies = Object.entries(operation.requestBody?.content ?? {});
      const all = [...operation.parameters.map((parameter) => [parameter.name, parameter] as const), ...bodies];
      const without = all.filter(([, { example, examples }]) => example === undefined && examples === undefined);
      t.same(
        without.map(([name]) => name),
        [],
        operationId,
      );
    }
  });

  t.test('the demo answers every example of a request as the contract shows', async (t) => {
    for (const operation of bySideEffect(operations(document))) {
      for (const request of shownRequests(operation)) {
        const answer = await sent(operation, request);
        const { statuses, example } = shownAnswer(operation, request);
        t.ok(statuses.includes(answer.status), `${request.title}: ${answer.status} ${answer.text.slice(0, 300)}`);
        if (example?.status === answer.status && !UNSTABLE.includes(operation.operationId)) {
          // A text is compared by its beginning.
          const { value } = example;
          const body = answer.body ?? answer.text.slice(0, String(value).length);
          t.same(steady(likeExample(body, value)), steady(value), `${request.title}: the answer that is shown`);
        }
        if (answer.status === 202) await done(operation, answer);
      }
    }
  });
});
