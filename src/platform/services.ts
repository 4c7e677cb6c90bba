import { commentsService } from '../application/services/comments.js';
import { messagesService } from '../application/services/messages.js';
import { ordersService } from '../application/services/orders.js';
import type { PaymentGateway } from '../application/services/payments/gateway.js';
import { PAYMENTS, paymentJobs } from '../application/services/payments/jobs.js';
import { paymentsService } from '../application/services/payments/payments.js';
import { postsService } from '../application/services/posts.js';
import { administration } from './accounts/administration.js';
import { credentialsService } from './accounts/credentials.js';
import { loginAttempts } from './accounts/login-attempts.js';
import { networkOf } from './accounts/networks.js';
import { passwordChange } from './accounts/password-change.js';
import { passwords as passwordHasher } from './accounts/passwords.js';
import { userPages } from './accounts/user-pages.js';
import { userReads } from './accounts/user-reads.js';
import { usersService } from './accounts/users.js';
import { refusalLog } from './audit/refusals.js';
import { cursors } from './calls/pages.js';
import type { Database } from './database/open.js';
import type { Signals } from './database/signals.js';
import { idempotencyService } from './idempotency/idempotency.js';
import { removeExpired } from './jobs/expiry.js';
import { jobRunner } from './jobs/jobs.js';
import { type SigningKeysOptions, signingKeys } from './keys/signing-keys.js';
import { channelNews } from './live/channels.js';
import type { AccessTokenOptions } from './sessions/access-tokens.js';
import { accessTokens } from './sessions/access-tokens.js';
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
  /** Logins a minute for an address. */
  loginLimit: number;
  /** Absent where payment is not available. */
  gateway: PaymentGateway | undefined;
  /** See `Database`. */
  prove: Database['prove'];
  /** Between instances: something was added to a channel. */
  signals: Signals;
  /** Told of a background job that failed; it is run again. */
  onJobFault: (job: string, error: unknown) => void;
  /** Told of a refusal that could not be audited. */
  onAuditFault: (error: unknown) => void;
}

export type Services = Awaited<ReturnType<typeof buildServices>>;

/** All business rules over one database. Time comes in, so that a test can move it. */
export async function buildServices(options: ServicesOptions) {
  const { client, now, issuer, audience, loginLimit, gateway, prove, signals, onFault, onJobFault, onAuditFault } =
    options;
  const secrets = options.keySecrets.length > 0 ? options.keySecrets : ['development'];
  const keys = await signingKeys(options);
  const revocations = await tokenRevocations(options);
  const sessionEnds = await sessionEndings({ ...options, revoke: revocations.revoke });
  const current = upToDate({ prove, read: () => Promise.all([keys.read(), revocations.read()]) });
  const passwords = passwordHasher();
  const tokens = accessTokens({ keys, issuer, audience, now });
  const channels = await channelNews({ client, signals, ...(onFault && { onFault }) });
  const admit = loginAttempts({ client, secrets, now, perMinute: loginLimit });
  const credentials = credentialsService({ client, passwords, admit, now });
  revocations.onRevoked(credentials.forget);
  const idempotency = idempotencyService({ client, secrets, now });
  const payments = paymentsService({ client, gateway, idempotency, now });
  const refusals = refusalLog({ client, now, onFault: onAuditFault });
  const jobs = jobRunner(
    [
      ...paymentJobs(payments),
      { name: 'idempotency', every: HOUR, run: idempotency.sweep },
      { name: 'expiry', every: HOUR / 6, run: () => removeExpired(client, now()) },
    ],
    onJobFault,
  );
  return {
    keys,
    jobs,
    refusals,
    cursors: cursors(secrets),
    revocations,
    administration: administration(options),
    users: {
      ...userReads({ client }),
      ...userPages({ client }),
      ...usersService({
        client,
        idempotency,
        hashPassword: (address, password) => passwords.inTurn(networkOf(address), ({ hash }) => hash(password)),
        revoke: revocations.revoke,
      }),
    },
    posts: postsService({ client }),
    comments: commentsService({ client }),
    messages: messagesService({ client, channels }),
    channels,
    standing: standing({ client, prove, revocations, sessionEnds, keys, now }),
    orders: ordersService({ client, idempotency, payments, wakePayments: () => jobs.wake(PAYMENTS) }),
    credentials,
    changePassword: passwordChange({ client, passwords, credentials, endSessions: sessionEnds.endAll }),
    sessions: sessionsService({
      client,
      credentials,
      tokens,
      upToDate: current,
      refuses: revocations.refuses,
      end: sessionEnds.end,
      now,
    }),
    /** Ends what runs beside the calls. */
    async close() {
      await refusals.settled();
      keys.close();
      revocations.close();
    },
  };
}
