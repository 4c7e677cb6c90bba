import type { Mutant } from './mutant.js';

const SESSIONS = 'platform/parts/identity/sessions/sessions.ts';
const TOKENS = 'platform/parts/identity/sessions/session-tokens.ts';
const KEYS = 'platform/parts/identity/keys/signing-keys.ts';
const CREDENTIALS = 'platform/parts/identity/accounts/credentials.ts';

/** Accounts, sessions, tokens and signing keys. */
export const sessions: Mutant[] = [
  { file: TOKENS, before: 'GRACE_MS = 10_000', after: 'GRACE_MS = 60_000', tests: ['parts/identity/sessions.test.ts'] },
  {
    file: TOKENS,
    before: 'children.length < MAX_SIBLINGS',
    after: 'children.length <= MAX_SIBLINGS',
    tests: ['parts/identity/sessions.test.ts'],
  },
  {
    file: TOKENS,
    before: '(expiresAt.getTime() - now) / 1000',
    after: 'expiresAt.getTime() - now',
    tests: ['parts/identity/sessions.test.ts', 'parts/identity/auth.test.ts', 'parts/browsers/cookies.test.ts'],
  },
  {
    file: SESSIONS,
    before: 'if (!account) throw refused();\n      await call.enforce();',
    after: 'if (!account) throw refused();',
    tests: ['parts/limits/rate-limit.test.ts'],
  },
  {
    file: SESSIONS,
    before: 'session.count({ where: { id, userId, ...liveSessionsAt(now()) } })',
    after: 'session.count({ where: { id, userId } })',
    tests: ['parts/identity/sessions.test.ts'],
  },
  {
    file: 'platform/parts/identity/sessions/session-tokens.ts',
    before: 'Object.keys(header).every((name)',
    after: 'Object.keys(header).some((name)',
    tests: ['parts/identity/forged.test.ts'],
    drawn: true,
  },
  {
    file: 'platform/parts/identity/sessions/session-tokens.ts',
    before: 'if (!isExpired && keys.verificationKey(cached.kid) !== undefined) return cached;',
    after: 'if (!isExpired) return cached;',
    tests: ['parts/identity/keys.test.ts', 'parts/identity/auth.test.ts'],
  },
  {
    file: 'platform/parts/identity/sessions/session-ends.ts',
    before: 'sent += IDS_PER_SIGNAL',
    after: 'sent += rows.length',
    tests: ['parts/identity/ends.test.ts'],
    drawn: true,
  },
  {
    file: 'platform/parts/identity/sessions/revocations.ts',
    before: 'if ((marks.get(userId)?.version ?? 0) >= mark.version) return;',
    after: '',
    tests: ['parts/identity/revocations.test.ts'],
  },
  {
    file: 'platform/parts/identity/sessions/session-cookies.ts',
    before: "[access(tokens.token, tokens.expiresIn), refresh('', 0), ...bound('', 0)]",
    after: '[access(tokens.token, tokens.expiresIn)]',
    tests: ['parts/browsers/cookies.test.ts', 'parts/identity/sessions.test.ts'],
    drawn: true,
  },
  {
    file: 'platform/parts/browsers/session-cookies.ts',
    before: "(protocol === 'https' ? undefined : cookies[name])",
    after: 'cookies[name]',
    tests: ['parts/browsers/cookies.test.ts'],
    drawn: true,
  },

  {
    file: KEYS,
    before: 'stored.every(isEncrypted)',
    after: 'stored.some(isEncrypted)',
    tests: ['parts/identity/keyring.test.ts', 'parts/identity/keys.test.ts'],
    drawn: true,
  },
  {
    file: KEYS,
    before: '|| at >= cached.until',
    after: '',
    tests: ['parts/identity/keys.test.ts'],
    drawn: true,
  },
  {
    file: 'platform/parts/identity/keys/signing-keys.ts',
    before: '    ...keysAt(keys, now).map(({ retiredAt }) => verifiesUntil(retiredAt)),\n',
    after: '',
    tests: ['parts/identity/keys.test.ts'],
    drawn: true,
  },

  {
    file: CREDENTIALS,
    before: 'await attempt.void();',
    after: 'void attempt.void;',
    tests: ['parts/identity/credentials.test.ts', 'parts/identity/throttling.test.ts'],
  },
  {
    file: 'platform/parts/identity/accounts/login-attempts.ts',
    before: ' AND NOT ',
    after: ' OR NOT ',
    tests: ['parts/identity/throttling.test.ts'],
    drawn: true,
  },
  {
    file: 'platform/parts/identity/accounts/login-attempts.ts',
    before: 'each(({ wait }) => wait?.longest ?? 0)',
    after: 'each(({ wait }) => wait?.first ?? 0)',
    tests: ['parts/identity/throttling.test.ts'],
    drawn: true,
  },
  {
    file: 'platform/parts/identity/accounts/users.ts',
    before: 'await seams.idempotency.forget(tx, id);',
    after: '',
    tests: ['parts/idempotency/idempotency.test.ts'],
    drawn: true,
  },
  {
    file: 'platform/parts/identity/accounts/users.ts',
    before: "if (after['email'] !== before['email']) await audit",
    after: 'await audit',
    tests: ['parts/identity/audit.test.ts'],
    drawn: true,
  },
  {
    file: 'platform/core/http/call.ts',
    before: '/^bearer +(\\S+)$/i',
    after: '/^Bearer +(\\S+)$/',
    tests: ['parts/identity/sessions.test.ts', 'parts/identity/auth.test.ts'],
    drawn: true,
  },
  {
    file: 'platform/parts/identity/sessions/revocations.ts',
    before: 'version === undefined ? issuedAt <= mark.at : version < mark.version',
    after: 'issuedAt <= mark.at',
    tests: ['parts/identity/revocations.test.ts'],
  },
  {
    file: 'platform/parts/identity/accounts/login-attempts.ts',
    before: "occasion === 'basic' || limit !== login",
    after: 'limit !== login',
    tests: ['parts/identity/throttling.test.ts'],
    drawn: true,
  },
];
