import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { TcpProxy } from '../support/tcp-proxy.js';
import type { Outcome } from './load.js';
import type { World } from './world.js';

export interface Fault {
  name: string;
  /** The number of repetitions, in the whole battery and in the short form. */
  tries: [whole: number, short: number];
  /** Causes the fault, and ends a lasting one after some milliseconds. */
  happen: (world: World, lasts: number) => Promise<void>;
  /** Expected outcomes of requests besides success. */
  expected: Outcome[];
}

const UNAVAILABLE = ['503', 'UNAVAILABLE'];
/** Outcomes without a server, and of requests that were running when it was killed. */
const GONE = ['gone', ...UNAVAILABLE];
const CUT = ['cut', ...GONE];

const damaged =
  (line: (world: World) => TcpProxy, kind: Parameters<TcpProxy['set']>[0]) => async (world: World, lasts: number) => {
    line(world).set(kind);
    await delay(lasts);
    line(world).set('sound');
    // Closes connections without an answer.
    if (kind === 'black hole') line(world).cut();
  };
const toDatabase = ({ database }: World) => database;
const toRedis = ({ redis }: World) => redis;

/** All connections to this database but the one that asks. */
const ofOthers = 'FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';

/** Takes all connections that the server allows. */
async function usedUp({ query }: World, lasts: number): Promise<void> {
  const [{ name } = { name: '' }] = await query<{ name: string }>('SELECT current_database() AS name');
  await query(`ALTER DATABASE ${name} CONNECTION LIMIT 1`);
  await query(`SELECT pg_terminate_backend(pid) ${ofOthers}`);
  await delay(lasts);
  await query(`ALTER DATABASE ${name} CONNECTION LIMIT -1`);
}

/** Simulates SQLSTATE 53100, because not every machine allows a full disk. */
async function diskFull({ query }: World, lasts: number): Promise<void> {
  await query(`
    CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = '53100'; END $$`);
  for (const table of ['orders', 'messages']) {
    await query(`CREATE TRIGGER full_disk BEFORE INSERT ON ${table} EXECUTE FUNCTION disk_full()`);
  }
  await delay(lasts);
  await query('DROP FUNCTION disk_full CASCADE');
}

async function killed(world: World): Promise<void> {
  world.server().kill('SIGKILL');
  await world.restart();
}

async function stopped(world: World): Promise<void> {
  world.server().kill('SIGTERM');
  const { code } = await world.server().ended;
  if (code !== 0) throw new Error(`It ended with ${code}.`);
  await world.restart();
}

/** Clients that stop in the middle of a request, or that do not read the answer. */
async function slowClients({ url }: World, lasts: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const beginnings = [
    'GET /livez HTTP/1.1\r\nHost: x',
    `POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{`,
  ];
  const sockets = Array.from({ length: 200 }, (_, i) => {
    const socket = connect(Number(port), hostname).on('error', () => {});
    socket.write(beginnings[i % beginnings.length] as string);
    return socket.pause();
  });
  await delay(lasts);
  for (const socket of sockets) socket.destroy();
}

/** The faults, each during writes and with a subscriber. */
export const FAULTS: Fault[] = [
  { name: 'PostgreSQL refuses', tries: [5, 1], happen: damaged(toDatabase, 'refused'), expected: UNAVAILABLE },
  {
    name: 'PostgreSQL resets connections',
    tries: [50, 5],
    happen: async ({ database }) => database.cut(),
    expected: UNAVAILABLE,
  },
  {
    name: 'PostgreSQL ends sessions',
    tries: [5, 1],
    happen: async ({ query }) => void (await query(`SELECT pg_terminate_backend(pid) ${ofOthers}`)),
    expected: UNAVAILABLE,
  },
  {
    name: 'PostgreSQL slower by 5 s',
    tries: [3, 1],
    happen: damaged(toDatabase, { latency: 5000 }),
    expected: UNAVAILABLE,
  },
  {
    name: 'PostgreSQL in a black hole',
    tries: [3, 1],
    happen: damaged(toDatabase, 'black hole'),
    expected: UNAVAILABLE,
  },
  { name: 'PostgreSQL takes no more connections', tries: [5, 1], happen: usedUp, expected: UNAVAILABLE },
  {
    name: 'PostgreSQL has a full disk',
    tries: [5, 1],
    happen: diskFull,
    expected: ['507', 'INSUFFICIENT_STORAGE', ...UNAVAILABLE],
  },
  { name: 'Redis refuses', tries: [5, 1], happen: damaged(toRedis, 'refused'), expected: [] },
  { name: 'Redis resets connections', tries: [50, 5], happen: async ({ redis }) => redis.cut(), expected: [] },
  { name: 'Redis slower by 5 s', tries: [3, 1], happen: damaged(toRedis, { latency: 5000 }), expected: [] },
  { name: 'Redis in a black hole', tries: [3, 1], happen: damaged(toRedis, 'black hole'), expected: [] },
  { name: '200 clients that never finish', tries: [5, 1], happen: slowClients, expected: [] },
  { name: 'the process is killed', tries: [50, 2], happen: killed, expected: CUT },
  { name: 'the process is asked to stop', tries: [20, 1], happen: stopped, expected: GONE },
];
