import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { TcpProxy } from '../support/tcp-proxy.js';
import type { Outcome } from './load.js';
import type { World } from './world.js';

export interface Fault {
  name: string;
  /** How often it is tried in the whole battery, and in the short form. */
  tries: [whole: number, short: number];
  /** Does it and undoes it, after so many milliseconds where it is one that lasts. */
  happen: (world: World, lasts: number) => Promise<void>;
  /** What a request may be told besides what it asked for. */
  told: Outcome[];
}

const UNAVAILABLE = ['503', 'UNAVAILABLE'];
/** The process that would answer is not there; one that is killed also leaves requests without an answer. */
const GONE = ['gone', ...UNAVAILABLE];
const CUT = ['cut', ...GONE];

const damaged =
  (line: (world: World) => TcpProxy, kind: Parameters<TcpProxy['set']>[0]) => async (world: World, lasts: number) => {
    line(world).set(kind);
    await delay(lasts);
    line(world).set('sound');
    // What was swallowed leaves connections that nobody answers.
    if (kind === 'black hole') line(world).cut();
  };
const toDatabase = ({ database }: World) => database;
const toRedis = ({ redis }: World) => redis;

/** Every connection to this database but the one that asks. */
const ofOthers = 'FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';

/** As many connections as the server allows, held by somebody else. */
async function usedUp({ query }: World, lasts: number): Promise<void> {
  const [{ name } = { name: '' }] = await query<{ name: string }>('SELECT current_database() AS name');
  await query(`ALTER DATABASE ${name} CONNECTION LIMIT 1`);
  await query(`SELECT pg_terminate_backend(pid) ${ofOthers}`);
  await delay(lasts);
  await query(`ALTER DATABASE ${name} CONNECTION LIMIT -1`);
}

/** What PostgreSQL does when it cannot write: SQLSTATE 53100, which a full disk cannot be made to say on every machine. */
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

/** Clients that begin a request and do not go on with it, or that do not read the answer. */
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

/** Each of them, while clients write and a subscriber listens. */
export const FAULTS: Fault[] = [
  { name: 'PostgreSQL refuses', tries: [5, 1], happen: damaged(toDatabase, 'refused'), told: UNAVAILABLE },
  {
    name: 'PostgreSQL resets connections',
    tries: [50, 5],
    happen: async ({ database }) => database.cut(),
    told: UNAVAILABLE,
  },
  {
    name: 'PostgreSQL ends sessions',
    tries: [5, 1],
    happen: async ({ query }) => void (await query(`SELECT pg_terminate_backend(pid) ${ofOthers}`)),
    told: UNAVAILABLE,
  },
  {
    name: 'PostgreSQL slower by 5 s',
    tries: [3, 1],
    happen: damaged(toDatabase, { latency: 5000 }),
    told: UNAVAILABLE,
  },
  { name: 'PostgreSQL in a black hole', tries: [3, 1], happen: damaged(toDatabase, 'black hole'), told: UNAVAILABLE },
  { name: 'PostgreSQL takes no more connections', tries: [5, 1], happen: usedUp, told: UNAVAILABLE },
  {
    name: 'PostgreSQL has a full disk',
    tries: [5, 1],
    happen: diskFull,
    told: ['507', 'INSUFFICIENT_STORAGE', ...UNAVAILABLE],
  },
  { name: 'Redis refuses', tries: [5, 1], happen: damaged(toRedis, 'refused'), told: [] },
  { name: 'Redis resets connections', tries: [50, 5], happen: async ({ redis }) => redis.cut(), told: [] },
  { name: 'Redis slower by 5 s', tries: [3, 1], happen: damaged(toRedis, { latency: 5000 }), told: [] },
  { name: 'Redis in a black hole', tries: [3, 1], happen: damaged(toRedis, 'black hole'), told: [] },
  { name: '200 clients that never finish', tries: [5, 1], happen: slowClients, told: [] },
  { name: 'the process is killed', tries: [50, 2], happen: killed, told: CUT },
  { name: 'the process is asked to stop', tries: [20, 1], happen: stopped, told: GONE },
];
