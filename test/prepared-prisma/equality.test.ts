import { isDeepStrictEqual } from 'node:util';
import { PrismaPg } from '@prisma/adapter-pg';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { recordingsOf, statisticsOf } from '../../src/prepared-prisma/calls.js';
import { preparedClient } from '../../src/prepared-prisma/prepared-client.js';
import { type DrawnCall, drawnCall, READS, spoiltCall, UUIDS } from './drawn-calls.js';
import { type Db, dataModel, make, type Opened, onEachDatabase, Prisma } from './fixture.js';

const CALLS = Number(process.env['CALLS'] ?? 60);
const SEED = Number(process.env['SEED'] ?? 7);

interface Outcome {
  value?: unknown;
  error?: unknown;
}

/** Rolls back, so that both clients see the same rows. */
class RolledBack extends Error {
  readonly outcome: Outcome;
  constructor(outcome: Outcome) {
    super();
    this.outcome = outcome;
  }
}

const settle = (promise: PromiseLike<unknown>): Promise<Outcome> =>
  Promise.resolve(promise).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

const SEQUENCES = ['users', 'posts', 'comments', 'tags'].map((name) => `setval('${name}_id_seq', 100000)`);

async function inTransaction(db: Db, [model, operation, args]: DrawnCall): Promise<Outcome> {
  await db.$queryRawUnsafe(`SELECT ${SEQUENCES.join(', ')}`);
  return db
    .$transaction(async (tx: Db) => {
      throw new RolledBack(await settle(tx[model][operation](args)));
    })
    .catch((error: unknown) => (error instanceof RolledBack ? error.outcome : { error }));
}

const STARTED = Date.now();
const GENERATED_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Replaces times and ids that are generated while a call runs. */
function masked(value: unknown): unknown {
  if (value instanceof Date) return value.getTime() >= STARTED - 1000 && value.getTime() <= Date.now() ? 'now' : value;
  if (typeof value === 'string') return GENERATED_ID.test(value) && !UUIDS.includes(value) ? 'an id' : value;
  if (Array.isArray(value)) return value.map(masked);
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return isPlain ? Object.entries(value as object).map(([name, member]) => [name, masked(member)]) : value;
}

const described = ({ error, value }: Outcome): unknown => {
  if (error === undefined) return masked(value);
  const { code, name, message, meta } = error as Error & { code?: string; meta?: object };
  return { error: [(error as object).constructor.name, code, name, message, meta && JSON.parse(JSON.stringify(meta))] };
};

async function fill(prisma: Db): Promise<void> {
  for (const [num, id] of UUIDS.entries()) {
    const parentId = num === 0 ? null : UUIDS[0];
    await prisma.thing.create({
      data: {
        ...{ id, code: 'a', num, big: 2n ** 61n, price: '1234.5678', float: 0.1, flag: true, role: 'EDITOR', parentId },
        at: new Date('2026-05-06T07:08:09.123Z'),
        local: new Date('2026-05-06T07:08:09.12Z'),
        day: new Date('2026-05-06'),
        clock: new Date('1970-01-01T10:11:12.340Z'),
        data: { a: 1, list: [null, 'x'] },
        bytes: Buffer.from('hello'),
        ...{ ints: [1, 2], words: ['a', 'b,"c"', 'NULL'], kinds: ['EDITOR', 'ADMIN'], prices: ['1.5'] },
        ...{ uuids: [UUIDS[0]], dates: [new Date(0)], flags: [true, false], bigs: [2n ** 60n], docs: [{ a: 1 }, 'x'] },
      },
    });
    await prisma.event.create({ data: { id, kind: 'a', number: num, on: new Date('2026-05-06'), in: [1, 2] } });
  }
}

/** No answer is read by Prisma as well (`verified`): the plan alone is compared. */
const clientsOf = (database: Opened) => {
  const pool = database.pool({ pipeline: true });
  const options = { verified: 0, recordings: Number.POSITIVE_INFINITY, timeout: 60_000, maxWait: 60_000 };
  return {
    prisma: make(new PrismaPg(database.pool())),
    prepared: preparedClient(make, pool, dataModel, options) as Db,
  };
};

function compare(t: Test, call: DrawnCall, theirs: unknown, ours: unknown): void {
  if (isDeepStrictEqual(theirs, ours)) return;
  t.strictSame(ours, theirs, `${call[0]}.${call[1]}`);
  t.comment(JSON.stringify(call, (_key, value) => (typeof value === 'bigint' ? `${value}n` : value)));
}

onEachDatabase(t, async (t, database) => {
  const { prisma, prepared } = clientsOf(database);
  await fill(prisma);

  t.test("random calls return Prisma's results and errors", async (t) => {
    for (const call of fc.sample(drawnCall, { numRuns: CALLS, seed: SEED })) {
      const theirs = described(await inTransaction(prisma, call));
      for (let i = 0; i < 3; i++) {
        compare(t, call, theirs, described(await inTransaction(prepared, call)));
        await recordingsOf(prepared);
      }
    }
    const { fallbacks, recorded } = statisticsOf(prepared);
    t.comment({ recorded, fallbacks });
    t.ok(recorded > CALLS / 2);
  });

  t.test('a value of a call that is undefined, null or skipped has the meaning that it has for Prisma', async (t) => {
    const counts: Record<string, number> = {};
    const inJson = [{ a: undefined }, { a: [{ b: undefined }] }, [undefined], { a: Prisma.skip }, [Prisma.skip]];
    const ofJson = [{ a: 1 }, ...inJson].map(
      (data): DrawnCall => ['thing', 'update', { where: { id: UUIDS[0] }, data: { data } }],
    );
    for (const call of [...ofJson, ...fc.sample(spoiltCall, { numRuns: CALLS, seed: SEED })]) {
      const theirs = described(await inTransaction(prisma, call));
      for (let i = 0; i < 2; i++) {
        compare(t, call, theirs, described(await inTransaction(prepared, call)));
        await recordingsOf(prepared);
      }
      const name = (theirs as { error?: string[] } | undefined)?.error?.[0] ?? 'none';
      counts[name] = (counts[name] ?? 0) + 1;
    }
    t.comment(counts);
    t.ok((counts['PrismaClientValidationError'] ?? 0) > CALLS / 8);
  });

  t.test("simultaneous random reads outside of a transaction return Prisma's results", async (t) => {
    // Prisma joins `findUnique` calls of one turn, and then words its errors differently.
    const isRead = ([, operation]: DrawnCall) => READS.includes(operation) && operation !== 'findUniqueOrThrow';
    const calls = fc.sample(drawnCall, { numRuns: CALLS, seed: SEED + 1 }).filter(isRead);
    const run = (db: Db, [model, operation, args]: DrawnCall) => settle(db[model][operation](args));
    for (const call of calls) for (let i = 0; i < 2; i++) await run(prepared, call);
    await recordingsOf(prepared);
    const ours = await Promise.all(calls.map((call) => run(prepared, call)));
    for (const [i, call] of calls.entries()) {
      const theirs = await run(prisma, call);
      compare(t, call, described(theirs), described(ours[i] as Outcome));
    }
  });
});
