import { passwordHash as hashed, type Person as Tester } from '../../src/testing/people.js';

export { type Json, PASSWORD, TEST_HASHING } from '../../src/testing/people.js';

export const passwordHash = hashed();

export type Person = Pick<Tester, 'id' | 'email' | 'headers'>;
