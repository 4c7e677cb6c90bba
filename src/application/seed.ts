import { type Demo, emailKey, hasher, type Statements, statement } from 'accord';
import type { PrismaClient } from '../../generated/prisma/client.js';

/** The demo's accounts share one password, which is printed at start. Production refuses a database that holds them. */
const DEMO_PASSWORD = 'correct horse battery';
const DEMO_DOMAIN = 'demo.accord.example';
const DEMO_ADMIN = `ada@${DEMO_DOMAIN}`;

const people = [
  { name: 'Ada Lovelace', email: DEMO_ADMIN, role: 'ADMIN' },
  { name: 'Grace Hopper', email: `grace@${DEMO_DOMAIN}`, role: 'DEVELOPER' },
  { name: 'Alan Turing', email: `alan@${DEMO_DOMAIN}`, role: 'VIEWER' },
] as const;

/** Fills an empty database with a small believable demo, all or nothing. */
async function seedDemo(client: PrismaClient): Promise<void> {
  const passwordHash = await hasher().hash(DEMO_PASSWORD);
  await client.$transaction(async (db) => {
    const [ada, grace, alan] = (await db.user.createManyAndReturn({
      data: people.map((person) => ({ ...person, emailKey: emailKey(person.email), passwordHash })),
      select: { id: true },
    })) as [{ id: number }, { id: number }, { id: number }];

    const { id: postId } = await db.post.create({
      data: {
        authorId: grace.id,
        title: 'The first bug',
        content: 'We found a moth in relay 70 of panel F. It is in the log.',
      },
    });
    await db.post.create({ data: { authorId: ada.id, title: 'Notes on the Analytical Engine', content: null } });
    await db.comment.createMany({
      data: [
        { postId, authorId: ada.id, text: 'Is it filed under hardware?' },
        { postId, authorId: grace.id, text: 'Under wildlife.' },
      ],
    });
    await db.message.createMany({
      data: [
        { channelId: 'general', authorId: ada.id, text: 'Welcome to Accord.' },
        { channelId: 'general', authorId: grace.id, text: 'Subscribe to messageAdded to see new ones arrive.' },
      ],
    });
    await db.order.createMany({
      data: [
        { userId: alan.id, amount: 1999, currency: 'EUR' },
        { userId: alan.id, amount: 250_00, currency: 'GBP', status: 'PAID' },
        { userId: grace.id, amount: 4200, currency: 'USD', status: 'CANCELLED' },
      ],
    });
  });
}

const anyOfDomain = statement<[domain: string], { found: boolean }>(
  'accounts of the demo',
  'SELECT EXISTS (SELECT FROM users WHERE email_key LIKE $1) AS found',
);

/** Whether the database holds accounts of the demo, whose password everyone knows. */
const hasDemo = async (statements: Statements): Promise<boolean> =>
  (await statements.run(anyOfDomain, `%@${DEMO_DOMAIN}`))[0]?.found === true;

export const demo: Demo = {
  login: { email: DEMO_ADMIN, password: DEMO_PASSWORD },
  seed: seedDemo,
  isIn: hasDemo,
};
