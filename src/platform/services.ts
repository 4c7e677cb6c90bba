import type { Static, TObject, TProperties } from '@sinclair/typebox';
import type { AccountRules } from './accounts/account-rules.js';
import { administration } from './accounts/administration.js';
import { credentialsService } from './accounts/credentials.js';
import { loginAttempts } from './accounts/login-attempts.js';
import { networkOf } from './accounts/networks.js';
import { passwordChange } from './accounts/password-change.js';
import { type HashParameters, hasher, passwords as passwordHasher } from './accounts/passwords.js';
import { HIDDEN, User, userHooks } from './accounts/user-model.js';
import { usersService } from './accounts/users.js';
import { refusalLog } from './audit/refusals.js';
import { cursors } from './calls/pages.js';
import { dataModel } from './database/data-model.js';
import type { Database } from './database/open.js';
import type { Signals } from './database/signals.js';
import { idempotencyService } from './idempotency/idempotency.js';
import { removeExpired } from './jobs/expiry.js';
import { jobRunner } from './jobs/jobs.js';
import { type SigningKeysOptions, signingKeys } from './keys/signing-keys.js';
import { durableStreams } from './live/durable-streams.js';
import { modelStreams } from './live/model-streams.js';
import type { Names } from './names.js';
import { accessOf } from './operations/client-access.js';
import type { Db, Model } from './operations/model.js';
import { declaredModels } from './operations/model-data.js';
import type { OperationServices } from './operations/operation-services.js';
import { pageReader } from './operations/pages.js';
import { systemClient } from './operations/system-client.js';
import { type AccessTokenOptions, accessTokens } from './sessions/access-tokens.js';
import { revocations as tokenRevocations } from './sessions/revocations.js';
import { sessionEnds as sessionEndings } from './sessions/session-ends.js';
import { sessionsService } from './sessions/sessions.js';
import { standing } from './sessions/standing.js';
import { upToDate } from './sessions/up-to-date.js';

/** In milliseconds. */
const HOUR = 60 * 60 * 1000;

export interface ServicesOptions
  extends Omit<SigningKeysOptions, 'now'>,
    Pick<AccessTokenOptions, 'issuer' | 'audience' | 'now'> {
  /** What the application's name becomes. */
  names: Names;
  /** Logins a minute for an address. */
  loginLimit: number;
  /** Whether the rules of production hold. */
  production: boolean;
  /** What the contracts say of accounts. */
  rules: AccountRules;
  /** The models of the application. */
  models: readonly Model[];
  /** The values of the application's own variables. */
  environment: Readonly<Record<string, unknown>>;
  /** See `Database`. */
  prove: Database['prove'];
  isHearing: Database['isHearing'];
  /** Between instances: something was added to a stream. */
  signals: Signals;
  /** Told of a background job that failed; it is run again. */
  onJobFault: (job: string, error: unknown) => void;
  /** Told of work after the commit of an operation that failed. */
  onCommitFault: (operation: string, error: unknown) => void;
  /** What a hash of a password takes, where it differs from the usual. */
  hashing?: HashParameters | undefined;
  /** Told of a refusal that could not be audited. */
  onAuditFault: (error: unknown) => void;
}

/**
 * What the platform does for every application. Tests receive it as `services` of `testService`.
 * @example
 * const tokens = await service.services.sessions.login(call, { email, password });
 */
export type PlatformServices = Awaited<ReturnType<typeof platformServices>>;

/**
 * What the services of an application are made with.
 * @example
 * export const ownServices = ({ jobs, transact }: ApplicationPlatform) => ({ books: booksService(transact) });
 */
export type ApplicationPlatform = Pick<
  PlatformServices,
  'now' | 'production' | 'environment' | 'transact' | 'continuation' | 'jobs'
>;

/** The part of the platform that an application is made with. The rest of it reaches the database around the rules of models. */
export const applicationPlatform = ({
  now,
  production,
  environment,
  transact,
  continuation,
  jobs,
}: PlatformServices): ApplicationPlatform => ({ now, production, environment, transact, continuation, jobs });

/**
 * What handlers receive as `services`: nothing in it reaches the database around `db`.
 * @example
 * export const route = routeFor<HandlerServices & OwnServices>();
 */
export type HandlerServices = ReturnType<typeof handlerServices>;

/** The services of the platform for handlers. */
export const handlerServices = ({ users, sessions, changePassword, cursors, jwks }: PlatformServices) => ({
  users,
  sessions,
  changePassword,
  cursors,
  jwks,
});

/** The platform's services, and those that handlers receive: with the application's. */
export type ComposedServices = PlatformServices & { readonly handlers: HandlerServices };

/** The platform's services over one database. Time comes in, so that a test can move it. */
export async function platformServices(options: ServicesOptions) {
  const {
    client,
    now,
    names,
    issuer,
    audience,
    loginLimit,
    production,
    rules,
    environment,
    prove,
    isHearing,
    signals,
    onFault,
    onJobFault,
    onAuditFault,
    hashing,
  } = options;
  const secrets = options.keySecrets.length > 0 ? options.keySecrets : ['development'];
  const keys = await signingKeys(options);
  const revocations = await tokenRevocations(options);
  const sessionEnds = await sessionEndings({ ...options, revoke: revocations.revoke });
  const current = upToDate({ prove, read: () => Promise.all([keys.read(), revocations.read()]) });
  const passwords = passwordHasher(hasher(hashing));
  const tokens = accessTokens({ keys, issuer, audience, now });
  const streams = await durableStreams({ signals, ...(onFault && { onFault }) });
  const admit = loginAttempts({ client, secrets, now, perMinute: loginLimit });
  const credentials = credentialsService({ client, passwords, admit, now });
  revocations.onRevoked(credentials.forget);
  const idempotency = idempotencyService({ client, secrets, now });
  const refusals = refusalLog({ client, now, onFault: onAuditFault });
  const { actions, administrators } = rules;
  const user = { ...User, read: actions.read, protect: { role: actions.setRole } };
  const models = declaredModels([user, ...options.models.filter(({ name }) => name !== 'User')], dataModel, {
    User: { hidden: HIDDEN, hooks: userHooks({ administrators, revoke: revocations.revoke }) },
  });
  const operations: OperationServices = {
    client,
    idempotency,
    models,
    streams: modelStreams(models, client, streams.durableStream),
    pages: pageReader(now),
    onCommitFault: options.onCommitFault,
  };
  const { listen } = options;
  const jobs = await jobRunner({ channel: names.signals.jobs, listen, isHearing, now, onFault: onJobFault });
  jobs.add([
    { name: 'idempotency', every: HOUR, run: idempotency.sweep },
    { name: 'expiry', every: HOUR / 6, run: async () => void (await removeExpired(client, now())) },
    { name: 'keys', every: HOUR / 6, run: keys.settle },
  ]);
  return {
    client,
    /** Milliseconds since the epoch. */
    now,
    production,
    /** The values of variables that the application has declared. */
    environment: <Own extends TProperties>(variables: Own) =>
      Object.fromEntries(Object.keys(variables).map((name) => [name, environment[name]])) as Static<TObject<Own>>,
    idempotency,
    operations,
    /** Runs work of the service itself in a transaction, for jobs. */
    transact: systemClient(operations),
    /** Ends the work that an operation continues after its commit (`workId`), under its Idempotency-Key. */
    continuation: {
      finish: async (db: Db, workId: string, answer: object, ownerId: number) =>
        idempotency.finish(await accessOf(db).transaction(), workId, answer, ownerId),
      abandon: async (db: Db, workId: string) => idempotency.abandon(await accessOf(db).transaction(), workId),
    },
    keys,
    /** The public keys. What was signalled is known here too, but where the database is away: then as they were last known. */
    jwks: async () => {
      try {
        await current();
      } catch {}
      return keys.jwks();
    },
    jobs: {
      ...jobs,
      announce: async (db: Db, name: string, at?: number) => jobs.announce(await accessOf(db).transaction(), name, at),
    },
    refusals,
    cursors: cursors(secrets),
    revocations,
    administration: administration(options),
    users: usersService({
      client,
      hashPassword: (address, password) => passwords.inTurn(networkOf(address), ({ hash }) => hash(password)),
    }),
    standing: standing({ client, prove, revocations, sessionEnds, keys, now }),
    credentials,
    changePassword: passwordChange({ passwords, credentials, endSessions: sessionEnds.endAll }),
    sessions: sessionsService({
      client,
      credentials,
      tokens,
      upToDate: current,
      refuses: revocations.refuses,
      end: sessionEnds.end,
      rules,
      names,
      now,
    }),
    /** Ends what runs beside the calls. */
    async close() {
      await refusals.settled();
      keys.close();
      revocations.close();
      await streams.close();
    },
  };
}
