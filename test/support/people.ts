import type { Person as Tester } from '../../src/testing/client.js';
import { passwordHash as hashed } from '../../src/testing/service.js';

export type { Json } from '../../src/testing/client.js';
export { PASSWORD, TEST_HASHING } from '../../src/testing/service.js';

export const passwordHash = hashed();

export type Person = Pick<Tester, 'id' | 'email' | 'headers'>;
