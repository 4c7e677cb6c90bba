import { type HashParameters, hasher } from '@accord-api/platform/internals/accounts/passwords';
import type { Call, Mechanism } from '@accord-api/platform/internals/calls/access';
import type { PrismaClient } from '@accord-api/platform/internals/database/client';
import type { PlatformServices } from '@accord-api/platform/internals/services';
import type { FastifyInstance } from 'fastify';

// biome-ignore lint/suspicious/noExplicitAny: a body is whatever came; what it should be is checked against the contract
export type Json = any;

/** Of every account that the kit makes. */
export const PASSWORD = 'a password for the tests';
/** What a hash takes in tests, which are not about it: a thousandth of what it takes elsewhere. */
export const CHEAP: HashParameters = { memoryCost: 32, timeCost: 1, parallelism: 1 };

let hashed: Promise<string> | undefined;

/** Of `PASSWORD`. */
export const passwordHash = (): Promise<string> => (hashed ??= hasher(CHEAP).hash(PASSWORD));

/** An account that exists. */
export interface Account {
  id: number;
  email: string;
  /** As it is stored. */
  role: string;
}

/** Who sends requests. */
export interface Person extends Account {
  /** Headers that authenticate this person by the first mechanism that the contract has of JWT, opaque token, Basic and cookie. */
  headers: Record<string, string>;
}

/** Headers that authenticate one person, by the mechanism. */
export type Ways = Partial<Record<Mechanism, Record<string, string>>>;

const MECHANISMS = ['jwt', 'opaqueToken', 'basicAuth', 'cookieAuth'] as const satisfies readonly Mechanism[];

interface PeopleDependencies {
  app: FastifyInstance;
  client: PrismaClient;
  services: PlatformServices;
  /** The security schemes of the contract. */
  schemes: readonly string[];
  url: string;
}

/** Makes accounts, and logs them in without a request that would count. */
export function peopleOf({ app, client, services: { sessions }, schemes, url }: PeopleDependencies) {
  let made = 0;
  const mechanisms = MECHANISMS.filter((name) => schemes.includes(name));

  const token = async ({ email }: Account, flow: 'jwt' | 'opaque'): Promise<string> => {
    const call: Call = {
      policy: app.policy,
      actor: null,
      address: '127.0.0.1',
      requestId: 'testing',
      enforce: async () => {},
    };
    const tokens = await sessions.login(call, { email, password: PASSWORD, flow });
    return tokens.flow === 'jwt' ? tokens.accessToken : tokens.token;
  };
  const ways: Record<Mechanism, (account: Account) => Promise<Record<string, string>>> = {
    jwt: async (account) => ({ authorization: `Bearer ${await token(account, 'jwt')}` }),
    opaqueToken: async (account) => ({ authorization: `Bearer ${await token(account, 'opaque')}` }),
    basicAuth: async ({ email }) => ({
      authorization: `Basic ${Buffer.from(`${email}:${PASSWORD}`).toString('base64')}`,
    }),
    cookieAuth: async (account) => ({
      cookie: `${app.names.accessCookie}=${await token(account, 'jwt')}`,
      origin: url,
    }),
  };

  /** A new account, which nobody else is. */
  async function account(role: string, name?: string): Promise<Account> {
    made += 1;
    const email = `${(name ?? `${role}-${made}`).toLowerCase()}@example.com`;
    const data = { name: name ?? `${role} ${made}`, email, emailKey: email, role, passwordHash: await passwordHash() };
    const { id } = await client.user.create({ data, select: { id: true } });
    return { id, email, role };
  }

  return {
    mechanisms,
    account,
    /** A new account that has logged in. */
    async person(role: string, name?: string): Promise<Person> {
      const made = await account(role, name);
      const [first] = mechanisms;
      if (first === undefined)
        throw new Error(`The contract has none of the security schemes ${MECHANISMS.join(', ')}: nobody could call.`);
      return { ...made, headers: await ways[first](made) };
    },
    /** Every way in which an account can prove who it is, of those that the contract has; each by a login of its own. */
    async waysOf(account: Account): Promise<Ways> {
      const found = mechanisms.map(async (name) => [name, await ways[name](account)] as const);
      return Object.fromEntries(await Promise.all(found));
    },
  };
}
