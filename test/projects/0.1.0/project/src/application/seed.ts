import { type Demo, emailKey, hasher } from '@accord-api/platform';
import type { PrismaClient } from '../../generated/prisma/client.js';

/** The demo accounts share a password, which the start prints. Production rejects a database with demo accounts. */
const PASSWORD = 'correct horse battery';
const DOMAIN = 'demo.example';
const ADMIN = `ada@${DOMAIN}`;
const GRACE = `grace@${DOMAIN}`;

/** Fills an empty database in one transaction. */
async function seed(client: PrismaClient): Promise<void> {
  const passwordHash = await hasher().hash(PASSWORD);
  const account = (name: string, email: string, role: string) => ({
    ...{ name, email, role, passwordHash },
    emailKey: emailKey(email),
  });
  await client.$transaction(async (db) => {
    await db.user.create({ data: account('Ada Lovelace', ADMIN, 'ADMIN') });
    await db.user.create({ data: account('Grace Hopper', GRACE, 'MEMBER') });
    const owner = { connect: { emailKey: ADMIN } };
    const book = { title: 'Sketch of the Analytical Engine', author: 'Luigi Menabrea', year: 1842, owner };
    await db.book.create({ data: book });
    await db.book.create({ data: { ...book, title: 'Notes by the Translator', author: 'Ada Lovelace', year: 1843 } });
  });
}

export const demo: Demo = {
  people: [
    { name: 'Ada', role: 'admin', email: ADMIN, password: PASSWORD },
    { name: 'Grace', role: 'member', email: GRACE, password: PASSWORD },
  ],
  seed,
};
