import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { PluginMetadata } from 'fastify-plugin';
import t, { type Test } from 'tap';
import { PIPELINE, pipelinePlugin, type Stage } from '../../../src/platform/core/pipeline.js';
import { memoryDatabase } from '../../support/databases.js';
import { sourcesIn } from '../../support/imports.js';
import { eventually } from '../../support/process.js';
import { PRODUCTION } from '../../support/production.js';
import { startInstance, startService } from '../../support/service.js';
import { dial } from '../../support/socket.js';

/** The phases in which a stage is a hook. */
const BEFORE_HANDLER = ['onRequest', 'preParsing', 'preValidation', 'preHandler'];
const AFTER_HANDLER = ['onSend', 'onResponse'];
const HOOKS = [...BEFORE_HANDLER, ...AFTER_HANDLER];

const stagesOf = (phases: string[]) => PIPELINE.filter(({ phase }) => phases.includes(phase));

/** Whose hooks a stage is made of: a package tells nobody what its hooks are for. */
const makerOf = ({ name, package: own }: Stage): string => own ?? name;
const makers = (phases: string[]) => stagesOf(phases).map(makerOf);

type Hook = (this: FastifyInstance, request: FastifyRequest, ...rest: unknown[]) => unknown;

/**
 * Has each app that is built meanwhile tell whose hooks its requests meet.
 * @returns by the id of the request, each in their order: the stage, or the package
 */
function recordHooks(t: Test): Map<string, string[]> {
  const exchanges = new Map<string, string[]>();

  const recorded = (maker: string, hook: Hook): Hook =>
    function (request, ...rest) {
      const met = exchanges.get(request.id) ?? [];
      // Some packages have two hooks in a phase.
      exchanges.set(request.id, met.at(-1) === maker ? met : [...met, maker]);
      return hook.call(this, request, ...rest);
    };
  const onInitialization = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    const { addHook, decorate } = fastify;
    // A stage that is ours is known by its name; what a package adds, by who calls.
    fastify.decorate = function (this: FastifyInstance, name: string, value: (stage: string, run: Hook) => void) {
      const stage = (stage: string, run: Hook) => value(stage, recorded(stage, run));
      return Reflect.apply(decorate, this, [name, name === 'stage' ? stage : value]);
    } as never;
    fastify.addHook = function (this: FastifyInstance, phase: string, hook: Hook) {
      const { stack = '' } = new Error();
      const [, maker = 'nobody'] = /node_modules\/(@fastify\/[\w-]+)\//.exec(stack) ?? [];
      const ofStages = maker === 'nobody' && /\/core\/pipeline\.ts/.test(stack);
      const toRun = HOOKS.includes(phase) && !ofStages ? recorded(maker, hook) : hook;
      return Reflect.apply(addHook, this, [phase, toRun]);
    } as never;
  };
  subscribe('fastify.initialization', onInitialization);
  t.teardown(() => unsubscribe('fastify.initialization', onInitialization));
  return exchanges;
}

t.test('a request passes exactly the stages of the table, in order', async (t) => {
  const exchanges = recordHooks(t);
  const { app, url, admin } = await startService(t, await memoryDatabase(t));
  /** All that a request has met when it has been answered. */
  const metBy = (id: string) =>
    eventually('the last hook', () => {
      const met = exchanges.get(id);
      return met?.at(-1) === makers(AFTER_HANDLER).at(-1) ? met : undefined;
    });

  const ask = async (method: 'GET' | 'POST', url: string, headers: Record<string, string>, payload?: object) => {
    const answer = await app.inject({ method, url, headers, ...(payload && { payload }) });
    return { status: answer.statusCode, met: await metBy(String(answer.headers['x-request-id'])) };
  };

  const query = { query: '{ __typename }' };
  for (const [method, path, status, headers, payload] of [
    ['GET', '/api/v1/users', 200, admin.headers],
    ['GET', '/api/v1/users', 401, {}],
    ['POST', '/api/v1/auth/login', 401, {}, { email: 'nobody@example.com', password: 'a password of nobody' }],
    ['GET', '/nowhere', 404, {}],
    ['GET', '/docs', 200, {}],
    ['GET', '/graphql', 405, {}],
    ['POST', '/graphql', 200, admin.headers, query],
  ] as const) {
    const expected = { status, met: [...makers(BEFORE_HANDLER), ...makers(AFTER_HANDLER)] };
    t.strictSame(await ask(method, path, headers, payload), expected, `${method} ${path}`);
  }

  const rebound = { origin: 'http://rebound.example', host: 'rebound.example' };
  for (const [last, method, path, status, headers, payload] of [
    ['foreign-host', 'GET', '/docs/', 403, rebound],
    ['trailing-slash', 'GET', '/docs/', 308, {}],
    ['served-version', 'GET', '/api/v7/users', 404, { accept: 'image/png' }],
    ['media-types', 'GET', '/api/v1/users', 406, { accept: 'image/png' }],
    ['parameters', 'GET', '/api/v1/users?unknown=1', 400, {}],
    // The structure is looked at next, by Fastify itself.
    ['parameters', 'POST', '/api/v1/auth/login', 400, {}, {}],
  ] as const) {
    const before = makers(BEFORE_HANDLER);
    const expected = { status, met: [...before.slice(0, before.indexOf(last) + 1), ...makers(AFTER_HANDLER)] };
    t.strictSame(await ask(method, path, headers, payload), expected, `after ${last} nothing but the answer`);
  }

  const known = new Set(exchanges.keys());
  await dial(t, url);
  const [, byUpgrade = []] = [...exchanges].find(([id]) => !known.has(id)) ?? [];
  t.strictSame(byUpgrade.slice(0, makers(BEFORE_HANDLER).length), makers(BEFORE_HANDLER), 'an upgrade');
});

t.test('production omits some stages', async (t) => {
  const exchanges = recordHooks(t);
  const { rest } = await startInstance(t, await memoryDatabase(t), PRODUCTION);
  const { headers } = await rest('GET', '/livez');
  const met = exchanges.get(headers.get('x-request-id') ?? '') ?? [];
  const inProduction = stagesOf(BEFORE_HANDLER).filter(({ outsideProduction }) => !outsideProduction);
  t.strictSame(met.slice(0, inProduction.length), inProduction.map(makerOf));
  t.ok(inProduction.length < stagesOf(BEFORE_HANDLER).length);
});

/** Those that a plugin makes, and not the package of another. */
const toBeMade = stagesOf(HOOKS).filter(
  ({ name, package: own }) => own === undefined || PIPELINE.find((one) => one.package === own)?.name === name,
);

/** An app whose stages are made in the order that is given, and have their names recorded. */
async function appOf(made: readonly Stage[]): Promise<{ app: FastifyInstance; met: string[] }> {
  const app = Fastify();
  const met: string[] = [];
  await app.register(pipelinePlugin, { production: false });
  for (const stage of made) {
    const hook = async () => void met.push(stage.name);
    const registered = async (scope: FastifyInstance) => scope.addHook('onRequest', hook);
    if (stage.package === undefined) app.stage(stage.name, hook);
    else app.packageStage(stage.name, registered);
  }
  return { app, met };
}

t.test('the order in which plugins are registered does not matter', async (t) => {
  for (const made of [toBeMade, toBeMade.toReversed()]) {
    const { app, met } = await appOf(made);
    await app.registerPipeline();
    app.get('/', async () => 'done');
    await app.inject('/');
    t.strictSame(
      met,
      toBeMade.map(({ name }) => name),
    );
  }
});

t.test('the order of creation of handler stages does not matter', async (t) => {
  const handlerStages = stagesOf(['handler']);
  const { app } = await appOf([]);
  for (const made of [handlerStages, handlerStages.toReversed()]) {
    const named = made.map(({ name }) => [name, (met: string[]) => met.push(name)] as const);
    for (const [way, steps] of Object.entries(app.handlerStages<string[]>(Object.fromEntries(named)))) {
      const met: string[] = [];
      for (const step of steps) step(met);
      const expected = handlerStages.filter(({ on }) => on.includes(way as 'REST'));
      t.strictSame(
        met,
        expected.map(({ name }) => name),
      );
    }
  }
});

t.test('a stage with no plugin, two plugins, or no row stops the start', async (t) => {
  const { app } = await appOf(toBeMade.filter(({ name }) => name !== 'ceiling'));
  await t.rejects(app.registerPipeline(), { message: 'No plugin implements the stage "ceiling".' });
  const again = await appOf(toBeMade);
  again.app.stage('unheard-of', async () => {});
  await t.rejects(again.app.registerPipeline(), { message: 'The table in pipeline.ts lacks the stage "unheard-of".' });
  t.throws(() => again.app.handlerStages({ wieght: () => {} }), {
    message: 'The table in pipeline.ts lacks the stage "wieght".',
  });
  t.throws(() => again.app.stage('ceiling', async () => {}), { message: 'Two plugins implement the stage "ceiling".' });
});

t.test('stage names are unique', async (t) => {
  t.equal(new Set(PIPELINE.map(({ name }) => name)).size, PIPELINE.length);
});

interface Plugin extends PluginMetadata {
  text: string;
}

/** Returns the text of a file without its other plugins. */
const withoutOthers = (text: string, key: string) =>
  text.replaceAll(/^export const (\w+) = fp[<(][\s\S]*?^\);$/gm, (whole, name) => (name === key ? whole : ''));

/** The plugins among the files, with what Fastify is told of them. */
async function pluginsIn(sources: Record<string, string>): Promise<Plugin[]> {
  const files = Object.entries(sources).filter(([, text]) => text.includes("from 'fastify-plugin'"));
  const found = files.map(async ([path, text]) => {
    // As a pattern of names that is known when the tests are bundled.
    const exported: Record<string, unknown> = await import(`../../../src/platform/${path.replace(/\.ts$/, '')}.ts`);
    return Object.entries(exported).flatMap(([key, one]) => {
      const { [Symbol.for('plugin-meta')]: meta } = Object(one) as Record<symbol, PluginMetadata | undefined>;
      return meta ? { ...meta, text: withoutOthers(text, key) } : [];
    });
  });
  return (await Promise.all(found)).flat();
}

/** What plugins use of each other, as far as it is a decorator of the app, without having said that they need it. */
function unsaidNeeds(plugins: Plugin[]): string[] {
  const decorators = plugins.flatMap(({ name, text }) =>
    [...text.matchAll(/\bapp\.decorate\('(\w+)'/g)].map(([, decorator]) => ({ decorator, of: name as string })),
  );
  return plugins.flatMap(({ name, dependencies = [], text }) =>
    decorators
      .filter(({ of }) => of !== name && !dependencies.includes(of))
      .filter(({ decorator }) => new RegExp(`\\bapp\\.${decorator}\\b`).test(text))
      .map(({ decorator, of }) => `${name} uses ${decorator} of ${of}`),
  );
}

t.test('every plugin declares its name and dependencies', async (t) => {
  const plugins = await pluginsIn(sourcesIn('src/platform'));
  t.ok(plugins.length > 12);
  const names = plugins.map(({ name }) => name as string);
  t.equal(new Set(names).size, names.length);
  // What has no name gets one of the kind.
  t.strictSame(
    names.filter((name) => /-auto-\d+$/.test(name)),
    [],
  );
  t.strictSame(unsaidNeeds(plugins), []);
  const silent = plugins.map((one) =>
    one.name === 'origins' ? { ...one, dependencies: [], text: 'app.stage()' } : one,
  );
  t.strictSame(unsaidNeeds(silent), ['origins uses stage of pipeline']);
});
