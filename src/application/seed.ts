import { createHash } from 'node:crypto';
import { type Demo, emailKey, hasher } from '@accord-api/platform';
import type { PrismaClient } from '../../generated/prisma/client.js';

/** Public: production refuses a database with these accounts. */
const DEMO_PASSWORD = 'correct horse battery';
const DEMO_DOMAIN = 'demo.accord.example';

const ADA = { name: 'Ada Lovelace', email: `ada@${DEMO_DOMAIN}`, role: 'ADMIN' } as const;
const GRACE = { name: 'Grace Hopper', email: `grace@${DEMO_DOMAIN}`, role: 'DEVELOPER' } as const;
const ALAN = { name: 'Alan Turing', email: `alan@${DEMO_DOMAIN}`, role: 'VIEWER' } as const;

const MONTH = 30 * 24 * 60 * 60 * 1000;

/** A public session token of Alan, which the examples of the contract show. */
const REFRESH_TOKEN = 'acr_Zk3vQ8mN1xR7tY5wB2cD9eF4gH6jK0lP3sU8vX1yA7o';
const OPEN_SESSION = {
  id: '01993b5c-7d2e-7c4a-9f10-3b8a6c2d4e5f',
  tokens: { create: { hash: new Uint8Array(createHash('sha256').update(REFRESH_TOKEN).digest()) } },
};
const OTHER_SESSION = { id: '01993b5c-9a41-7f03-8c55-1d2e3f4a5b6c' };

/** Fills an empty database in one transaction. The examples of the contracts show its rows. */
async function seedDemo(client: PrismaClient): Promise<void> {
  const passwordHash = await hasher().hash(DEMO_PASSWORD);
  await client.$transaction(async (db) => {
    const [ada, grace, alan] = (await db.user.createManyAndReturn({
      data: [ADA, GRACE, ALAN].map((person) => ({ ...person, emailKey: emailKey(person.email), passwordHash })),
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
        { userId: alan.id, amount: 1250, currency: 'EUR' },
        { userId: alan.id, amount: 450, currency: 'EUR' },
      ],
    });
    const expiresAt = new Date(Date.now() + MONTH);
    await db.session.create({ data: { ...OPEN_SESSION, userId: alan.id, expiresAt } });
    await db.session.create({ data: { ...OTHER_SESSION, userId: ada.id, expiresAt } });
  });
}

const person = (name: string, { role, email }: { role: string; email: string }) => ({
  name,
  role: role.toLowerCase(),
  email,
  password: DEMO_PASSWORD,
});

export const demo: Demo = {
  people: [person('Ada', ADA), person('Grace', GRACE), person('Alan', ALAN)],
  seed: seedDemo,
};
