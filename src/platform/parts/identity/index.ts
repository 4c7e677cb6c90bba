import type { Part, Setting } from '../../core/application.js';
import { type HashParameters, passwordHasher } from '../../core/hasher.js';
import type { Seams } from '../../core/part.js';
import { retryWhileUnavailable } from '../../database/faults.js';
import { credentialsService } from './accounts/credentials.js';
import { demoLogin, prepareAccounts } from './accounts/first-accounts.js';
import { loginAttempts } from './accounts/login-attempts.js';
import { passwords } from './accounts/passwords.js';
import { accountModel, accountRules, usersService } from './accounts/users.js';
import { refusalLog } from './audit/audit.js';
import { removeExpired } from './expiry.js';
import { administration } from './keys/administration.js';
import { agreeOnSettings } from './keys/fleet-settings.js';
import { signingKeys } from './keys/signing-keys.js';
import { identityOperations } from './operations.js';
import { revocations } from './sessions/revocations.js';
import { sessionBinding } from './sessions/session-binding.js';
import { sessionCookies } from './sessions/session-cookies.js';
import { accessTokens, isToken } from './sessions/session-tokens.js';
import { sessionsService } from './sessions/sessions.js';

declare module '../../core/application.js' {
  interface Overrides {
    hashing?: HashParameters;
  }
}

const SWEEP_MS = 10 * 60 * 1000;

async function open({ app, core, application, config, database, now, secrets, report, ...setting }: Setting) {
  const { client, listen, checkListening, generation } = database;
  const { names, policy } = core;
  const { overrides, reportSignalFault: onFault } = setting;
  const { JWT_ALGORITHM: algorithm, JWT_SECRET: jwtSecret, KEY_SECRET: keySecrets = [] } = config;
  const agree = () =>
    agreeOnSettings(client, config, (settings) =>
      app.log.warn({ settings }, 'other instances have other values of these settings'),
    );
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
  const rules = accountRules(policy, application.accountActions);
  const queue = passwords(passwordHasher(overrides.hashing));
  const attempts = loginAttempts({ client, secrets, now, perMinute: config.LOGIN_LIMIT });
  const credentials = credentialsService({ client, passwords: queue, attempts, endSessions: revoked.endAll, now });
  const sessions = sessionsService({ client, credentials, tokens, revocations: revoked, binding, rules, names, now });
  const refusals = refusalLog({ client, now, onFault: (error) => report({}, error, 'a refusal could not be audited') });
  revoked.onRevoked(credentials.forget);
  /** Returns the public keys; the last known ones while the database is unavailable. */
  const jwks = async () => {
    try {
      await revoked.refreshIfStale();
    } catch {}
    return keys.jwks();
  };
  const { changePassword } = credentials;
  const ignoreReplacements = generation.onReplaced(() => {
    revoked.reset();
    keys.read().catch(onFault);
  });
  app.addHook('onClose', async () => {
    await refusals.settled();
    ignoreReplacements();
    keys.close();
    revoked.close();
  });
  return {
    stages: refusals.stages,
    seam: {
      bearer: sessions.bearer,
      basic: (email, password, request) =>
        sessions.basic(email, password, { address: request.address, requestId: request.id, exchange: request }),
      kindOf: (token) => (isToken(names.tokenPrefixes.access, token) ? 'opaqueToken' : 'other'),
      note: refusals.note,
      sessionCookies: (path, isHttps) => sessionCookies(names, path, isHttps, binding.valueFor),
      revocations: revoked,
    } satisfies Seams['identity'],
    services: {
      users: usersService(client, queue),
      sessions,
      changePassword,
      jwks,
    },
    operations: identityOperations({ names, sessions, changePassword, jwks }),
    metrics: {
      password_hashes: {
        help: 'Password hashes by state: running, or waiting for their turn.',
        ...{ label: 'state', read: queue.figures },
      },
    },
    models: { User: accountModel(rules, revoked.revoke, core.seams) },
    jobs: [
      { name: 'expiry', every: SWEEP_MS, run: async () => void (await removeExpired(client, now())) },
      { name: 'keys', every: SWEEP_MS, run: keys.updateStates },
    ],
    commands: administration({ client, generation, algorithm, keySecrets, now, hashing: overrides.hashing }),
  };
}

/** The accounts of the service with their sessions, keys and audit table. */
export const identity = (): Part<'identity', IdentityServices> => ({
  name: 'identity',
  codes: [
    'BAD_REQUEST',
    'UNAUTHENTICATED',
    'NOT_FOUND',
    'CONFLICT',
    'VALIDATION_FAILED',
    'RATE_LIMITED',
    'UNAVAILABLE',
  ],
  tables: [
    ...['users', 'sessions', 'refresh_tokens', 'throttles', 'known_networks', 'signing_keys', 'revocations'],
    ...['fleet_settings', 'audit_events'],
  ],
  prepare: prepareAccounts,
  demoLogin,
  open,
});

/** The services of accounts for handlers. */
export type IdentityServices = Awaited<ReturnType<typeof open>>['services'];
