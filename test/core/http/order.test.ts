import Fastify, { type FastifyInstance } from 'fastify';
import t from 'tap';
import { HOOKS, type Hook, rows } from '../../../src/platform/core/order.js';
import { registerStages, type Stages } from '../../../src/platform/core/way.js';

const ofHooks = rows.filter(({ section }) => HOOKS.includes(section as Hook));
/** A package has one place, at which it adds its hooks. */
const PACKAGES = ofHooks
  .filter((row, at) => row.package && ofHooks.findIndex((one) => one.package === row.package) === at)
  .map(({ name }) => name);
const named = ofHooks.filter((row) => row.package === undefined || PACKAGES.includes(row.name)).map(({ name }) => name);

/** Returns an app whose stages write down their names. */
async function recorded(made: readonly string[], production = false): Promise<{ app: FastifyInstance; met: string[] }> {
  const app = Fastify();
  const met: string[] = [];
  const stages = made.map((name) => {
    const step = () => void met.push(name);
    const register = async (scope: FastifyInstance) => scope.addHook('onRequest', async () => step());
    return [name, PACKAGES.includes(name) ? { register } : () => step];
  });
  await registerStages(app, Object.fromEntries(stages) as Stages, production);
  app.get('/', async () => 'done');
  return { app, met };
}

t.test('a request passes the stages in the order of the table, in whatever order they were made', async (t) => {
  for (const made of [named, named.toReversed()]) {
    const { app, met } = await recorded(made);
    await app.inject('/');
    t.strictSame(met, named);
  }
});

t.test('an address without a route passes the same stages', async (t) => {
  const { app, met } = await recorded(named);
  t.equal((await app.inject('/nowhere')).statusCode, 404);
  t.strictSame(met, named);
});

t.test('production omits some stages, and a part that is left out takes its rows along', async (t) => {
  const { app, met } = await recorded(named, true);
  await app.inject('/');
  const { name: left = '' } = ofHooks.find((row) => row.outsideProduction) ?? {};
  t.strictSame(
    met,
    named.filter((name) => name !== left),
  );
  const without = named.filter((name) => ofHooks.find((row) => row.name === name)?.owner !== 'limits');
  const smaller = await recorded(without);
  await smaller.app.inject('/');
  t.strictSame(smaller.met, without);
  t.ok(without.length < named.length - 3);
});

t.test('a route runs only what its stages returned for it', async (t) => {
  const app = Fastify();
  const seen: (string | undefined)[] = [];
  await registerStages(app, { route: ({ url }) => (url === '/one' ? () => void seen.push(url) : undefined) }, false);
  app.get('/one', async () => '');
  app.get('/two', async () => '');
  for (const url of ['/one', '/two', '/three']) await app.inject(url);
  t.strictSame(seen, ['/one']);
});

t.test('a stage that refuses, answers or waits ends the way, or holds it up', async (t) => {
  const app = Fastify();
  const met: string[] = [];
  const step = (name: string, run: Stages['route']): Stages => ({ [name]: run });
  await registerStages(
    app,
    {
      ...step('route', () => (request) => (request.url === '/refused' ? Promise.reject(new Error('no')) : undefined)),
      ...step('request-id', () => (request, reply) => (request.url === '/answered' ? reply.send('early') : undefined)),
      ...step('security-headers', () => async () => void met.push('waited')),
      ...step('strict-transport', () => () => void met.push('after')),
    },
    false,
  );
  app.get('/:any', async () => 'handler');
  t.equal((await app.inject('/refused')).statusCode, 500);
  t.equal((await app.inject('/answered')).body, 'early');
  t.strictSame(met, []);
  t.equal((await app.inject('/all')).body, 'handler');
  t.strictSame(met, ['waited', 'after']);
});
