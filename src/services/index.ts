import type { AccessTokenOptions } from '../auth/access-tokens.js';
import { accessTokens } from '../auth/access-tokens.js';
import { passwords as passwordHasher } from '../auth/passwords.js';
import type { Database } from '../database/open.js';
import type { Signals } from '../database/signals.js';
import { administration } from './administration.js';
import { channelNews } from './channels.js';
import { commentsService } from './comments.js';
import { credentialsService } from './credentials.js';
import { removeExpired } from './expiry.js';
import { idempotencyService } from './idempotency.js';
import { jobRunner } from './jobs.js';
import { loginAttempts } from './login-attempts.js';
import { messagesService } from './messages.js';
import { networkOf } from './networks.js';
import { ordersService } from './orders.js';
import { cursors } from './pages.js';
import { passwordChange } from './password-change.js';
import type { PaymentGateway } from './payments/gateway.js';
import { PAYMENTS, paymentJobs } from './payments/jobs.js';
import { paymentsService } from './payments/payments.js';
import { postsService } from './posts.js';
import { refusalLog } from './refusals.js';
import { revocations as tokenRevocations } from './revocations.js';
import { sessionEnds as sessionEndings } from './session-ends.js';
import { sessionsService } from './sessions.js';
import { type SigningKeysOptions, signingKeys } from './signing-keys.js';
import { standing } from './standing.js';
import { upToDate } from './up-to-date.js';
import { userPages } from './user-pages.js';
import { userReads } from './user-reads.js';
import { usersService } from './users.js';

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
