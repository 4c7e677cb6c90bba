import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, RouteOptions } from 'fastify';
import t, { type Test } from 'tap';
import { Failure } from '../../../src/platform/core/calls/errors.js';
import { HOOKS, type Hook } from '../../../src/platform/core/order.js';
import { TIMEOUTS_MS } from '../../../src/platform/server/http-server.js';
import { memoryDatabase } from '../../support/databases.js';
import { PASSWORD } from '../../support/people.js';
import { basic } from '../../support/process.js';
import { startService } from '../../support/service.js';

/** The failures that are made while something is done: a class asks for its base whenever one of it is constructed. */
async function failuresMade(work: () => Promise<unknown>): Promise<string[]> {
  const made: string[] = [];
  const counting = new Proxy(Error, {
    construct(target, given, newTarget) {
      made.push(String(given[0]));
      return Reflect.construct(target, given, newTarget);
    },
  });
  Object.setPrototypeOf(Failure, counting);
  try {
    await work();
  } finally {
    Object.setPrototypeOf(Failure, Error);
  }
  return made;
}

/** Has the app that is built next tell which stages of operations have had a request wait for a promise, and which hooks all its routes have. */
function recordWaits(t: Test) {
  const waited: string[] = [];
  const inherited: string[] = [];
  const onInitialization = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    const { addHook } = fastify;
    type Step = (...given: unknown[]) => unknown;
    const recorded =
      (step: Step): Step =>
      (...given) => {
        const result = step(...given);
        if (result instanceof Promise) waited.push(step.name);
        return result;
      };
    fastify.addHook = function (this: FastifyInstance, phase: string, hook: (route: RouteOptions) => void) {
      const isOurs = /\/core\/way\.ts/.test(new Error().stack?.split('\n')[2] ?? '');
      if (this === fastify && HOOKS.includes(phase as Hook)) inherited.push(phase);
      if (!isOurs || phase !== 'onRoute') return Reflect.apply(addHook, this, [phase, hook]);
      const onRoute = (route: RouteOptions) => {
        hook.call(this, route);
        const whole = route.config?.ways?.whole as Step[];
        whole.splice(0, whole.length - 1, ...whole.slice(0, -1).map(recorded));
      };
      return Reflect.apply(addHook, this, [phase, onRoute]);
    } as never;
  };
  subscribe('fastify.initialization', onInitialization);
  t.teardown(() => unsubscribe('fastify.initialization', onInitialization));
  return { waited, inherited };
}

t.test('the parts of a request run once', async (t) => {
  const { waited, inherited } = recordWaits(t);
  const { rest, viewer } = await startService(t, await memoryDatabase(t));
  const login = { email: viewer.email, password: PASSWORD };
  const { token } = (await rest('POST', '/api/v1/auth/login', { body: { ...login, flow: 'opaque' } })).body;
  const path = `/api/v1/users/${viewer.id}`;
  const get = async (headers: Record<string, string>) => (await rest('GET', path, { headers })).status;

  for (const [by, headers] of Object.entries({
    jwt: viewer.headers,
    opaqueToken: { authorization: `Bearer ${token}` },
    cookieAuth: { cookie: `accord_access=${token}` },
    basicAuth: basic(viewer.email, PASSWORD),
  })) {
    t.strictSame(await failuresMade(async () => t.equal(await get(headers), 200)), [], `by ${by} no failure is made`);
  }
  const made = await failuresMade(async () => t.equal(await get({ authorization: 'Bearer nonsense' }), 401));
  t.equal(made.length, 1, 'and for one that does not hold, one');

  waited.length = 0;
  await get(viewer.headers);
  t.strictSame(waited, [], 'no stage waits for anything when the token was seen before');
  waited.length = 0;
  await get({ authorization: `Bearer ${token}` });
  t.equal(waited.length, 1, 'and one for who calls, when the database is asked');
  waited.length = 0;
  t.equal((await rest('GET', '/livez')).status, 200);
  t.strictSame(waited, [], 'and none where nobody is asked for');
  t.strictSame(inherited, [], 'no hook of Fastify is in the way of an operation');
});

t.test('one timer serves all answers', async (t) => {
  const { rest, viewer } = await startService(t, await memoryDatabase(t));
  const get = () => rest('GET', `/api/v1/users/${viewer.id}`, { headers: viewer.headers });
  await get();
  const timers = t.capture(globalThis, 'setTimeout', globalThis.setTimeout);
  const answers = await Promise.all(Array.from({ length: 20 }, get));
  t.ok(answers.every(({ status }) => status === 200));
  const ofAnswers = timers().filter(({ args: [, milliseconds] }) => milliseconds === TIMEOUTS_MS.handler);
  t.ok(ofAnswers.length <= 1, `${ofAnswers.length} timers for 20 requests`);
});
