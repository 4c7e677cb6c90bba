import { type HashParameters, hasher } from '@accord-api/platform/internals/accounts/passwords';
import type { Call, Mechanism } from '@accord-api/platform/internals/calls/access';
import type { PrismaClient } from '@accord-api/platform/internals/database/client';
import type { FastifyInstance } from 'fastify';

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies without types; the contract decides about them
export type Json = any;

/** The password of every test account. */
export const PASSWORD = 'a password for the tests';
/** Cheap parameters: a hash takes a thousandth of the usual time. */
export const TEST_HASHING: HashParameters = { memoryCost: 32, timeCost: 1, parallelism: 1 };

let hash: Promise<string> | undefined;

export const passwordHash = (): Promise<string> => (hash ??= hasher(TEST_HASHING).hash(PASSWORD));

export interface Account {
  id: number;
  email: string;
  role: string;
}

/** An account that has logged in. */
export interface Person extends Account {
  /** Credentials of the first mechanism that the contract has: JWT, opaque token, Basic, cookie. */
  headers: Record<string, string>;
}

/** Headers that authenticate one account, by mechanism. */
export type Credentials = Partial<Record<Mechanism, Record<string, string>>>;

const MECHANISMS = ['jwt', 'opaqueToken', 'basicAuth', 'cookieAuth'] as const satisfies readonly Mechanism[];

/**
 * Creates accounts and logs them in through the services, without requests that the rate limits would count.
 * @param schemes the security schemes of the contract
 */
export function peopleOf(app: FastifyInstance, client: PrismaClient, schemes: readonly string[], url: string) {
  const { sessions } = app.platformServices;
  let accounts = 0;
  const mechanisms = MECHANISMS.filter((name) => schemes.includes(name));

  async function token({ email }: Account, flow: 'jwt' | 'opaque'): Promise<string> {
    const context = { policy: app.policy, actor: null, address: '127.0.0.1', requestId: 'testing' };
    const call: Call = { ...context, enforce: async () => {} };
    const tokens = await sessions.login(call, { email, password: PASSWORD, flow });
    return tokens.flow === 'jwt' ? tokens.accessToken : tokens.token;
  }
  const logins: Record<Mechanism, (account: Account) => Promise<Record<string, string>>> = {
    jwt: async (account) => ({ authorization: `Bearer ${await token(account, 'jwt')}` }),
    opaqueToken: async (account) => ({ authorization: `Bearer ${await token(account, 'opaque')}` }),
    basicAuth: async ({ email }) => ({ authorization: `Basic ${btoa(`${email}:${PASSWORD}`)}` }),
    cookieAuth: async (account) => ({
      cookie: `${app.names.accessCookie}=${await token(account, 'jwt')}`,
      origin: url,
    }),
  };

  async function account(role: string, name?: string): Promise<Account> {
    accounts += 1;
    const email = `${(name ?? `${role}-${accounts}`).toLowerCase()}@example.com`;
    const passwords = { passwordHash: await passwordHash() };
    const data = { name: name ?? `${role} ${accounts}`, email, emailKey: email, role, ...passwords };
    const { id } = await client.user.create({ data, select: { id: true } });
    return { id, email, role };
  }

  return {
    mechanisms,
    account,
    async person(role: string, name?: string): Promise<Person> {
      const [first] = mechanisms;
      if (first === undefined)
        throw new Error(`Nobody can log in: declare one of the security schemes ${MECHANISMS.join(', ')}.`);
      const created = await account(role, name);
      return { ...created, headers: await logins[first](created) };
    },
    /** Logs an account in by each mechanism of the contract. */
    async credentialsOf(account: Account): Promise<Credentials> {
      const found = mechanisms.map(async (name) => [name, await logins[name](account)] as const);
      return Object.fromEntries(await Promise.all(found));
    },
  };
}
