import type { AccessTokenOptions } from '../auth/access-tokens.js';
import { accessTokens } from '../auth/access-tokens.js';
import { passwords as passwordHasher } from '../auth/passwords.js';
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
import { ordersService } from './orders.js';
import { cursors } from './pages.js';
import { passwordChange } from './password-change.js';
import type { PaymentGateway } from './payments/gateway.js';
import { PAYMENTS, paymentJobs } from './payments/jobs.js';
import { paymentsService } from './payments/payments.js';
import { postsService } from './posts.js';
import { revocations as tokenRevocations } from './revocations.js';
import { sessionsService } from './sessions.js';
import { type SigningKeysOptions, signingKeys } from './signing-keys.js';
import { standing } from './standing.js';
import { throttle } from './throttle.js';
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
  /** Between instances: something was added to a channel. */
  signals: Signals;
  /** Told of a background job that failed; it is run again. */
  onJobFault: (job: string, error: unknown) => void;
}

export type Services = Awaited<ReturnType<typeof buildServices>>;

/** All business rules over one database. Time comes in, so that a test can move it. */
export async function buildServices(options: ServicesOptions) {
  const { client, now, issuer, audience, loginLimit, gateway, signals, onFault, onJobFault } = options;
  const secret = options.keySecret ?? 'development';
  const keys = await signingKeys(options);
  const revocations = await tokenRevocations(options);
  const passwords = passwordHasher();
  const tokens = accessTokens({ keys, issuer, audience, now });
  const channels = await channelNews({ client, signals, ...(onFault && { onFault }) });
  const admit = loginAttempts({ throttle: throttle({ client, now }), perMinute: loginLimit });
  const credentials = credentialsService({ client, passwords, admit, now });
  revocations.onRevoked(credentials.forget);
  const idempotency = idempotencyService({ client, secret, now });
  const payments = paymentsService({ client, gateway, idempotency, now });
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
    cursors: cursors(secret),
    revocations,
    administration: administration(options),
    users: {
      ...userReads({ client }),
      ...userPages({ client }),
      ...usersService({ client, idempotency, hashPassword: passwords.hash, revoke: revocations.revoke }),
    },
    posts: postsService({ client }),
    comments: commentsService({ client }),
    messages: messagesService({ client, channels }),
    channels,
    isRevoked: standing(client),
    orders: ordersService({ client, idempotency, payments, wakePayments: () => jobs.wake(PAYMENTS) }),
    credentials,
    changePassword: passwordChange({ client, passwords, credentials, revoke: revocations.revoke, now }),
    sessions: sessionsService({ client, credentials, tokens, refuses: revocations.refuses, now }),
    /** Ends what runs beside the calls. */
    close() {
      keys.close();
      revocations.close();
    },
  };
}
