import { setTimeout as delay } from 'node:timers/promises';
import { startAccord, stopAll, untilAnswered } from './accord.js';
import { administered, type Directories } from './data.js';
import { ACCORD, BARE, NEST } from './flows.js';
import { LONG, ROUNDS, type Variant } from './measure.js';
import { peersOn, startPeer } from './peers.js';
import { figureOf, type Measurements } from './results.js';
import { DEMO, type Measured } from './server.js';

/** Seconds without requests. */
const IDLE_SECONDS = LONG ? 30 : 10;
/**
 * Seconds until the work of the start is finished and counted: an idle connection of PostgreSQL reports its last
 * transactions after ten (PGSTAT_IDLE_INTERVAL of PostgreSQL 15).
 */
const SETTLING_SECONDS = 15;

const USER = '/api/v1/users/1';
const demo = { authorization: DEMO };

/** Returns the number of transactions of a database. */
async function transactionsOf(database: string): Promise<number> {
  const query = `SELECT (xact_commit + xact_rollback)::int AS count FROM pg_stat_database WHERE datname = '${database}'`;
  return (await administered<{ count: number }>(query))[0]?.count ?? 0;
}

/** Measures the memory and the work of an idle server. */
export async function idle(
  ours: Variant,
  embedded: Variant,
  { name, url }: { name: string; url: string },
): Promise<Measurements> {
  console.log('At rest');
  const peer = peersOn(url);
  const peers = [await peer(BARE, 'limit', 'node-pg'), await peer(NEST, 'peer', 'nest-prisma')];
  const all = [ours, embedded, ...peers];
  for (const { server } of all) await untilAnswered(server, USER, demo);
  await delay(1000 * SETTLING_SECONDS);
  const memory = new Map(all.map((variant) => [variant, variant.server.rss()]));
  const before = new Map(all.map((variant) => [variant, variant.server.cpu()]));
  const transactions = await transactionsOf(name);
  await delay(1000 * IDLE_SECONDS);
  const statements = ((await transactionsOf(name)) - transactions) / IDLE_SECONDS;
  const share = (variant: Variant) => (variant.server.cpu() - (before.get(variant) ?? 0)) / (10 * IDLE_SECONDS);
  const figures = (ours: Variant, value: (variant: Variant) => number) =>
    [ours, ...peers].map((variant) => figureOf(variant.name, variant.kind, [value(variant)]));
  const memoryOf = (variant: Variant) => memory.get(variant) ?? Number.NaN;
  const measured: Measurements = {
    idle: figures(ours, share),
    idleStatements: [figureOf(ACCORD, 'accord', [statements])],
    memory: figures(ours, memoryOf),
    memoryEmbedded: figures(embedded, memoryOf),
  };
  await stopAll(peers);
  return measured;
}

/** Measures the time from the start of a process to its first answer. */
export async function starts(database: string, directories: Directories): Promise<Measurements> {
  console.log('Starts');
  let directory = '';
  const variants = {
    postgresql: () => startAccord(database),
    first: () => {
      directory = directories.empty();
      return startAccord(`pglite://${directory}`);
    },
    second: () => startAccord(`pglite://${directory}`),
    nest: () => startPeer('nest-prisma', { DATABASE_URL: database }),
    bare: () => startPeer('node-pg', { DATABASE_URL: database }),
  };
  type Name = keyof typeof variants;
  const rounds: Record<Name, number[]> = { postgresql: [], first: [], second: [], nest: [], bare: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    // The second start needs the data of the first.
    for (const [name, start] of Object.entries(variants) as [Name, () => Promise<Measured>][]) {
      const began = performance.now();
      const server = await start();
      await untilAnswered(server, USER, demo);
      rounds[name].push(performance.now() - began);
      await server.stop();
    }
  }
  const nest = figureOf(NEST, 'peer', rounds.nest);
  return {
    start: [figureOf(ACCORD, 'accord', rounds.postgresql), figureOf(BARE, 'limit', rounds.bare), nest],
    startFirst: [figureOf(ACCORD, 'accord', rounds.first), nest],
    startSecond: [figureOf(ACCORD, 'accord', rounds.second), nest],
  };
}
