import { type Demo, emailKey, hasher, statement } from 'accord';
import type { PrismaClient } from '../../generated/prisma/client.js';

/** The demo's accounts share one password, which is printed at start. Production refuses a database that holds them. */
const PASSWORD = 'correct horse battery';
const DOMAIN = 'demo.example';
const ADMIN = `ada@${DOMAIN}`;
const GRACE = `grace@${DOMAIN}`;

const ofDemo = statement<[pattern: string], { id: number }>(
  'an account of the demo',
  'SELECT id FROM users WHERE email_key LIKE $1 LIMIT 1',
);

/** Fills an empty database, all or nothing. */
async function seed(client: PrismaClient): Promise<void> {
  const passwordHash = await hasher().hash(PASSWORD);
  const account = (name: string, email: string, role: string) => ({
    ...{ name, email, role, passwordHash },
    emailKey: emailKey(email),
  });
  await client.$transaction(async (db) => {
    // <books>
    const { id: ownerId } = await db.user.create({ data: account('Ada Lovelace', ADMIN, 'ADMIN') });
    // </books>
    // <empty> await db.user.create({ data: account('Ada Lovelace', ADMIN, 'ADMIN') });
    await db.user.create({ data: account('Grace Hopper', GRACE, 'MEMBER') });
    // <books>
    await db.book.createMany({
      data: [
        { ownerId, title: 'Sketch of the Analytical Engine', author: 'Luigi Menabrea', year: 1842 },
        { ownerId, title: 'On the Connexion of the Physical Sciences', author: 'Mary Somerville', year: 1834 },
      ],
    });
    // </books>
  });
}

export const demo: Demo = {
  people: [
    { name: 'Ada', role: 'admin', email: ADMIN, password: PASSWORD },
    { name: 'Grace', role: 'member', email: GRACE, password: PASSWORD },
  ],
  seed,
  isIn: async (statements) => (await statements.run(ofDemo, `%@${DOMAIN}`)).length > 0,
};
