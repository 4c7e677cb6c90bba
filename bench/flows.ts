/**
 * The flows of `npm run bench` and their goals. A goal is a ratio to another variant of the same run, because only
 * ratios are meaningful on a noisy machine; without another variant it is a number.
 */
export interface Flow {
  title: string;
  unit: keyof typeof UNITS;
  /** Explains the title. */
  what: string;
  goals: readonly Goal[];
}

export interface Goal {
  /** The variant of the same run; without one, the goal is in the unit of the flow. */
  to?: string;
  atMost: number;
  /** For Node 24 and later, where it differs. */
  since24?: number;
}

/** The format and the meaning of a figure. */
export const UNITS = {
  'µs CPU': 'microseconds of the server’s processor time for each request, of all its threads, user and system',
  'µs CPU a delivery': 'the same for each message that reached a subscriber',
  ms: 'milliseconds',
  'ms p50': 'milliseconds until the answer, at the median',
  'ms p99': 'milliseconds until the answer, at the 99th percentile',
  '× p50': 'the 99th percentile of the milliseconds until the answer, divided by their median',
  '% of a core': 'processor time for each second without requests',
  'statements/s': 'transactions a second that PostgreSQL counts without requests',
  MiB: 'resident memory, started and not yet asked',
} as const;

export const ACCORD = 'Accord';
export const LOADERS = 'mercurius loaders + Prisma';
export const STATEMENT = 'JSON statement';
export const BARE = 'node:http + pg';
export const NEST = 'NestJS + Prisma';
export const GLUE = 'Fastify + glue + pg';

const within = (to: string, atMost: number, since24 = atMost): Goal => ({ to, atMost, since24 });

export const FLOWS = {
  read: {
    title: 'GET a user by id',
    unit: 'µs CPU',
    what: '`GET /api/v1/users/{user_id}`, 200 users in turn.',
    goals: [within(BARE, 0.95), within(NEST, 0.45)],
  },
  tail: {
    title: 'GET at 32 connections',
    unit: '× p50',
    what: 'The same GET from 32 connections: how much longer the slowest hundredth takes than the median.',
    goals: [{ atMost: 5 }],
  },
  list: {
    title: 'List of 20 by cursor',
    unit: 'µs CPU',
    what: '`GET /api/v1/users?after=…&limit=20`, from 20 places in turn.',
    goals: [within(GLUE, 1.4, 1.7), within(NEST, 0.75, 0.95)],
  },
  create: {
    title: 'POST a user',
    unit: 'µs CPU',
    what: '`POST /api/v1/users`, each with an address of its own. Accord also writes who did it into its audit.',
    goals: [within(GLUE, 1.7), within(NEST, 0.8)],
  },
  nested: {
    title: 'Nested GraphQL, 41 objects',
    unit: 'µs CPU',
    what: 'A user, ten posts, three comments on each, 100 users in turn.',
    goals: [within(STATEMENT, 1.8), within(LOADERS, 1)],
  },
  shallow: {
    title: '`{ user(id) { id } }`',
    unit: 'µs CPU',
    what: 'The smallest document, compared with the GET of the same user.',
    goals: [within(LOADERS, 0.7), within('Accord, GET', 2)],
  },
  delivery: {
    title: 'A message to 1,000 sockets',
    unit: 'µs CPU a delivery',
    what: 'One channel, one subscription for each socket, one message after the other. Accord also stores each message, the others publish in memory.',
    goals: [within('ws broadcast', 1.2), within('mercurius', 0.7)],
  },
  trivial: {
    title: 'Trivial handler, in memory',
    unit: 'µs CPU',
    what: 'An application of one operation that answers a constant; with Accord the caller shows a JWT.',
    goals: [within('node:http', 1.6)],
  },
  embeddedRead: {
    title: 'GET a user, embedded',
    unit: 'µs CPU',
    what: 'The same GET; PostgreSQL is in the process (PGlite), its files in a directory.',
    goals: [within('PGlite, prepared', 1.5)],
  },
  embeddedCreate: {
    title: 'POST a user, embedded',
    unit: 'µs CPU',
    what: 'The same POST, embedded.',
    goals: [within('PGlite, prepared', 2)],
  },
  offset: {
    title: 'Offset page 1 of 100,000 users',
    unit: 'ms p50',
    what: '`GET /api/v1/users?limit=20`, over one connection, with its `X-Total-Count`, compared with the page by cursor, which counts nothing.',
    goals: [within('Accord, by cursor', 1.5)],
  },
  logins: {
    title: 'Reads while 4 logins are in flight',
    unit: 'ms p99',
    what: 'GETs over two connections while four clients log in one time after the other.',
    goals: [within('Accord, no logins', 2)],
  },
  start: {
    title: 'Start, PostgreSQL',
    unit: 'ms',
    what: 'From the start of the process to the first 200 of a GET of a user; the database is migrated.',
    goals: [within(NEST, 0.9)],
  },
  startFirst: {
    title: 'First start, embedded',
    unit: 'ms',
    what: 'The same with no database there: it is made, migrated and seeded.',
    goals: [within(NEST, 2)],
  },
  startSecond: {
    title: 'Second start, embedded',
    unit: 'ms',
    what: 'The same with the directory of the first.',
    goals: [within(NEST, 1.5)],
  },
  idle: {
    title: 'Idle',
    unit: '% of a core',
    what: 'No requests; Accord on PostgreSQL.',
    goals: [{ atMost: 0.1 }],
  },
  idleStatements: {
    title: 'Statements while idle',
    unit: 'statements/s',
    what: 'No requests; one instance on its own database.',
    goals: [{ atMost: 0 }],
  },
  memory: {
    title: 'Memory at rest, PostgreSQL',
    unit: 'MiB',
    what: 'After the start and one GET.',
    goals: [{ atMost: 150 }],
  },
  memoryEmbedded: {
    title: 'Memory at rest, embedded',
    unit: 'MiB',
    what: 'The same, with PostgreSQL in the process.',
    goals: [{ atMost: 300 }],
  },
} as const satisfies Record<string, Flow>;

export type FlowName = keyof typeof FLOWS;
