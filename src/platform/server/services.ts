import type { Static, TObject, TProperties } from '@sinclair/typebox';
import type { FastifyBaseLogger } from 'fastify';
import type { Application, ApplicationPlatform } from '../core/application.js';
import { outsideService } from '../core/calls/outside.js';
import { cursors } from '../core/calls/rows.js';
import type { Names } from '../core/names.js';
import { accessOf } from '../core/operations/call-transaction.js';
import { modelProblems } from '../core/operations/check.js';
import { pageReader, systemClient } from '../core/operations/guarded-client.js';
import { declaredModels } from '../core/operations/model-data.js';
import type { StagedServices } from '../core/operations/operate.js';
import type { Seams } from '../core/part.js';
import type { StagesOf } from '../core/stages.js';
import type { Config } from '../core/variables.js';
import { dataModel } from '../database/client.js';
import { isOutage, retryWhileUnavailable } from '../database/faults.js';
import { GENERATION_CHANNEL } from '../database/generation.js';
import type { Database } from '../database/open.js';
import type { Outages } from '../database/outages.js';
import { databaseSignals } from '../database/signals.js';
import { forgetAnswers, idempotencyService, idempotencyStages } from '../parts/idempotency/idempotency.js';
import { credentialsService } from '../parts/identity/accounts/credentials.js';
import { loginAttempts } from '../parts/identity/accounts/login-attempts.js';
import { type HashParameters, hasher, passwords } from '../parts/identity/accounts/passwords.js';
import { accountRules, HIDDEN_USER_MEMBERS, User, userHooks, usersService } from '../parts/identity/accounts/users.js';
import { refusalLog } from '../parts/identity/audit/audit.js';
import { removeExpired } from '../parts/identity/expiry.js';
import { administration } from '../parts/identity/keys/administration.js';
import { agreeOnSettings } from '../parts/identity/keys/fleet-settings.js';
import { signingKeys } from '../parts/identity/keys/signing-keys.js';
import { revocations } from '../parts/identity/sessions/revocations.js';
import { sessionBinding } from '../parts/identity/sessions/session-binding.js';
import { sessionCookies } from '../parts/identity/sessions/session-cookies.js';
import { accessTokens, isToken } from '../parts/identity/sessions/session-tokens.js';
import { sessionsService } from '../parts/identity/sessions/sessions.js';
import { jobRunner } from '../parts/jobs/jobs.js';
import { modelStreams } from '../parts/live/streams.js';

const HOUR_MS = 60 * 60 * 1000;
/** Milliseconds between two samples of the database's clock. */
const CLOCK_INTERVAL_MS = 10_000;

interface ServicesOptions {
  database: Database;
  names: Names;
  outages: Outages;
  log: FastifyBaseLogger;
  now: () => number;
  hashing: HashParameters | undefined;
}

/**
 * The services of the platform and of the application. Tests receive it as `services` of `testService`.
 * @example
 * const tokens = await service.services.sessions.login(call, { email, password });
 */
export type PlatformServices = Awaited<ReturnType<typeof platformServices>>;

/**
 * The platform's part of the `services` of handlers. They use the database through `db` only.
 * @example
 * export const route = routeFor<HandlerServices & OwnServices>();
 */
export type HandlerServices = PlatformServices['handlers'];

export async function platformServices(
  application: Application,
  config: Config,
  { database, names, outages, log, now, hashing }: ServicesOptions,
) {
  const { policy, accountActions, models: ownModels = [] } = application;
  const problems = modelProblems(policy, ownModels);
  if (problems.length > 0) throw new Error(`The models of the application cannot be used:\n  ${problems.join('\n  ')}`);
  const { client, listen, checkListening, isListening, generation } = database;
  database.watch(() => outages.dependency('The database'));

  /** Logs an error. An outage of the database is logged once, not with each error that it causes. */
  const report = (about: object, err: unknown, message: string) => {
    const write = () => log.error(Object.assign({}, about, { err }), message);
    if (isOutage(err)) outages.unlessAway('The database', write);
    else write();
  };
  const onFault = (err: unknown) => report({}, err, 'signals of other instances cannot be received or read');

  const keySecrets = config.KEY_SECRET ?? [];
  const secrets = keySecrets.length > 0 ? keySecrets : ['development'];
  const { JWT_ALGORITHM: algorithm, JWT_SECRET: jwtSecret, REDIS_URL } = config;
  const onDifference = (settings: string[]) =>
    log.warn({ settings }, 'other instances have other values of these settings');
  const agree = () => agreeOnSettings(client, config, onDifference);
  // An embedded database has one instance.
  const agreed = database.kind === 'embedded' ? undefined : retryWhileUnavailable(agree);
  const opening = [signingKeys({ client, listen, algorithm, jwtSecret, keySecrets, now, onFault }), agreed] as const;
  // A failure closes the database, so both end first.
  await Promise.allSettled(opening);
  const [keys] = await Promise.all(opening);
  const revoked = await revocations({ client, listen, checkListening, keys, names, now, onFault });
  const tokens = accessTokens({
    keys,
    issuer: config.JWT_ISSUER ?? names.realm,
    audience: config.JWT_AUDIENCE ?? names.realm,
    generation: generation.current,
    now,
  });

  const binding = sessionBinding(client, secrets, tokens);
  const rules = accountRules(policy, accountActions);
  const queue = passwords(hasher(hashing));
  const attempts = loginAttempts({ client, secrets, now, perMinute: config.LOGIN_LIMIT });
  const credentials = credentialsService({ client, passwords: queue, attempts, endSessions: revoked.endAll, now });
  revoked.onRevoked(credentials.forget);
  const users = usersService(client, (call, password) =>
    queue.withHasher(
      call,
      () => true,
      ({ hash }) => hash(password),
    ),
  );
  const sessions = sessionsService({ client, credentials, tokens, revocations: revoked, binding, rules, names, now });

  const channel = names.signals.streams;
  const signals = REDIS_URL
    ? (await import('../database/redis-signals.js')).redisSignals(REDIS_URL, channel, () => outages.dependency('Redis'))
    : databaseSignals(database, channel);
  // Without this feature of Prisma, `undefined` in a `where` matches every row.
  const features = (client as { readonly _previewFeatures?: readonly string[] })._previewFeatures;
  if (!features?.includes('strictUndefinedChecks'))
    throw new Error('Add strictUndefinedChecks to `previewFeatures` in prisma/schema.prisma, and run npm run build.');
  const user = { ...User, read: rules.actions.read, protect: { role: rules.actions.setRole } };
  const models = declaredModels([user, ...ownModels.filter(({ name }) => name !== 'User')], dataModel, {
    User: { hidden: HIDDEN_USER_MEMBERS, hooks: userHooks(rules, revoked.revoke, forgetAnswers) },
  });
  const live = await modelStreams({ models, client, signals, onFault });
  const idempotency = idempotencyService({ client, secrets, now });
  const operations: StagedServices = {
    client,
    stages: {},
    idempotency,
    models,
    streams: live.streams,
    pages: pageReader(now),
    generation: generation.current,
    onCommitFault: (operation, err) => report({ operation }, err, 'work after a commit failed'),
  };
  const refusals = refusalLog({ client, now, onFault: (err) => report({}, err, 'a refusal could not be audited') });

  const ignoreReplacements = generation.onReplaced(() => {
    revoked.reset();
    keys.read().catch(onFault);
  });
  const readGeneration = () => void generation.read().catch(onFault);
  await listen(GENERATION_CHANNEL, readGeneration, readGeneration);

  const jobs = await jobRunner({
    channel: names.signals.jobs,
    listen,
    isListening,
    now,
    onFault: (job, err) => report({ job }, err, 'a background job failed'),
  });
  jobs.add([
    { name: 'idempotency', every: HOUR_MS, run: idempotency.sweep },
    { name: 'expiry', every: HOUR_MS / 6, run: async () => void (await removeExpired(client, now())) },
    { name: 'keys', every: HOUR_MS / 6, run: keys.updateStates },
    { name: 'clock', every: CLOCK_INTERVAL_MS, run: () => database.clock.check(log) },
  ]);

  const seam: Seams['identity'] = {
    bearer: sessions.bearer,
    basic: (email, password, request) =>
      sessions.basic(email, password, { address: request.address, requestId: request.id, exchange: request }),
    kindOf: (token) => (isToken(names.tokenPrefixes.access, token) ? 'opaqueToken' : 'other'),
    note: refusals.note,
    sessionCookies: (path, isHttps) => sessionCookies(names, path, isHttps, binding.valueFor),
    revocations: revoked,
  };

  const platform: ApplicationPlatform = {
    now,
    production: config.production,
    environment: <Own extends TProperties>(variables: Own) => {
      const values = Object.keys(variables).map((name) => [name, config[name as keyof Config]]);
      return Object.fromEntries(values) as Static<TObject<Own>>;
    },
    transact: systemClient(operations),
    outside: (name, options) => outsideService(name, outages.dependency(name), options),
    continuation: {
      finish: async (db, workId, answer, ownerId) =>
        idempotency.finish(await accessOf(db).transaction(), workId, answer, ownerId),
      abandon: async (db, workId) => idempotency.abandon(await accessOf(db).transaction(), workId),
    },
    jobs: { ...jobs, announce: async (db, name, at) => jobs.announce(await accessOf(db).transaction(), name, at) },
  };
  const handlers = {
    users,
    sessions,
    changePassword: credentials.changePassword,
    cursors: cursors(secrets, generation.current),
    /** Returns the public keys; the last known ones while the database is unavailable. */
    async jwks() {
      try {
        await revoked.refreshIfStale();
      } catch {}
      return keys.jwks();
    },
  };
  const own = application.services(platform);
  const [taken] = Object.keys(own).filter((name) => name in handlers);
  if (taken !== undefined)
    throw new Error(`The application's service "${taken}" has the name of a service of the platform. Rename it.`);

  return {
    ...platform,
    ...handlers,
    client,
    operations,
    stages: { ...refusals.stages, ...idempotencyStages(idempotency) } satisfies StagesOf<'identity' | 'idempotency'>,
    seam,
    revocations: revoked,
    onReplaced: generation.onReplaced,
    hashes: queue.figures,
    administration: administration({ client, generation, algorithm, keySecrets, now, hashing }),
    /** The `services` of handlers. */
    handlers: { ...handlers, ...own },
    /** Completes background work, and closes the connections. */
    async close() {
      await refusals.settled();
      ignoreReplacements();
      keys.close();
      revoked.close();
      await live.close();
      outages.flush();
    },
  };
}
