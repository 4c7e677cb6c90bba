import Fastify, { type FastifyInstance } from 'fastify';
import t from 'tap';
import { HOOKS, type Hook, rows } from '../../../src/platform/core/order.js';
import { registerStages, type Stages } from '../../../src/platform/core/way.js';

const ofHooks = rows.filter(({ section }) => HOOKS.includes(section as Hook));
const named = ofHooks.map(({ name }) => name);
const answerOthers = async () => 'nothing';
const OPTIONS = { production: false, answerOthers };

/** Returns an app whose stages write down their names. */
async function recorded(made: readonly string[], production = false): Promise<{ app: FastifyInstance; met: string[] }> {
  const app = Fastify();
  const met: string[] = [];
  const stages = made.map((name) => {
    const step = () => void met.push(name);
    return [name, () => step];
  });
  await registerStages(app, Object.fromEntries(stages) as Stages, { production, answerOthers });
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
  t.equal((await app.inject('/nowhere')).body, 'nothing');
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
  await registerStages(app, { route: ({ url }) => (url === '/one' ? () => void seen.push(url) : undefined) }, OPTIONS);
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
    OPTIONS,
  );
  app.get('/:any', async () => 'handler');
  t.equal((await app.inject('/refused')).statusCode, 500);
  t.equal((await app.inject('/answered')).body, 'early');
  t.strictSame(met, []);
  t.equal((await app.inject('/all')).body, 'handler');
  t.strictSame(met, ['waited', 'after']);
});

t.test('what the function of an operation throws is a failure, whatever it is', async (t) => {
  const app = Fastify();
  await registerStages(app, {}, OPTIONS);
  const thrown = [new Error('an error'), 'a text', undefined, null, { status: 200 }];
  const config = { plan: {} as never };
  for (const [n, value] of thrown.entries()) {
    app.route({ method: 'GET', url: `/late/${n}`, config, handler: () => Promise.reject(value) });
    app.route({
      method: 'GET',
      url: `/${n}`,
      config,
      handler: () => {
        throw value;
      },
    });
  }
  for (const [n, value] of thrown.entries()) {
    for (const url of [`/${n}`, `/late/${n}`]) t.equal((await app.inject(url)).statusCode, 500, `${url}: ${value}`);
    t.equal((await app.inject({ method: 'HEAD', url: `/${n}` })).statusCode, 500);
  }
});

t.test('an operation that was answered at the time limit ends there', async (t) => {
  const app = Fastify();
  let calls = 0;
  const late: Stages['route'] = () => async (_request, reply) => {
    reply.send('the time is over');
    reply.hijack();
  };
  await registerStages(app, { route: late }, OPTIONS);
  const handler = async () => {
    calls += 1;
  };
  app.route({ method: 'POST', url: '/', config: { plan: {} as never }, handler });
  t.equal((await app.inject({ method: 'POST', url: '/' })).body, 'the time is over');
  await new Promise(setImmediate);
  t.equal(calls, 0);
});
