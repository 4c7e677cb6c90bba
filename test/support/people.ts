import { hash } from '@node-rs/argon2';

export const PASSWORD = 'a password for the tests';
/** What a hash takes in most cases, which are not about it: a thousandth of what it takes elsewhere. */
export const CHEAP = { memoryCost: 32, timeCost: 1, parallelism: 1 };
export const passwordHash = hash(PASSWORD, CHEAP);

export interface Person {
  id: number;
  email: string;
  /** Headers that authenticate this person by an access token. */
  headers: Record<string, string>;
}

// biome-ignore lint/suspicious/noExplicitAny: a body is whatever came; what it should be is checked against the contract
export type Json = any;
