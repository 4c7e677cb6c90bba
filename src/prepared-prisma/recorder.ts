/** Records plans, which are the SQL statement and the parameters of a call of Prisma, and keeps them in caches. @module */

import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Adapt, type Answer, dryAdapter, type Sent } from './connection.js';
import type { DataModel } from './data-model.js';
import { copyOf, type PrismaCall, type Shape, Unsupported } from './shape.js';
import type { Statement } from './statement.js';
import { FORMATS, generatorOf, isToday, markerValue, type Reader, readerOf, type Slot } from './values.js';

/** The statement of a shape, its parameters, and the reader of its rows. */
export interface StatementPlan {
  statement: (values: unknown[]) => Statement;
  slots: Slot[];
  reader: Reader;
  /** The number of results that must still equal those of Prisma. */
  unverified: number;
}

/** A shape that only Prisma can run, with the reason. */
export interface UnsupportedPlan {
  reason: string;
}

/** The first word of each operation's statement. With another word, Prisma reads the rows first. */
const COMMANDS: [operation: RegExp, text: RegExp][] = [
  [/^(find|count)/, /^SELECT\b/],
  [/^(create|upsert)/, /^INSERT\b/],
  [/^update/, /^UPDATE\b/],
  [/^delete/, /^DELETE\b/],
];

/** @throws Unsupported if only Prisma can run calls of this shape */
export async function recordPlan(
  dataModel: DataModel,
  dry: DryRuns,
  call: PrismaCall,
  shape: Shape,
): Promise<Pick<StatementPlan, 'slots' | 'reader'> & { text: string }> {
  const { types, values, equal } = shape;
  const markers = (number: number) => equal.map((i) => markerValue(types[i] ?? 'text', i, number, values[i]));
  const [first, second] = [markers(0), markers(1)];
  const since = Date.now();
  const a = await recordStatement(dry, call, copyOf(dataModel, call, first));
  const b = await recordStatement(dry, call, copyOf(dataModel, call, second));
  const c = await recordStatement(dry, call, copyOf(dataModel, call, values));
  if (a.text !== b.text || a.text !== c.text) throw new Unsupported('the text depends on a value');
  if (!COMMANDS.some(([operation, text]) => operation.test(call.operation) && text.test(a.text)))
    throw new Unsupported('more than one statement');

  const used = new Set<number>();
  const generated = new Set<Slot>();
  const indexes = new Set(equal);
  function slotOf(x: unknown, y: unknown): Slot {
    if (Array.isArray(x) && Array.isArray(y) && x.length === y.length && x.length > 0) {
      const slots = x.map((item, i) => slotOf(item, y[i]));
      return (given, now) => slots.map((slot) => slot(given, now));
    }
    for (const i of indexes)
      for (const format of FORMATS[types[i] ?? 'text'])
        if (isDeepStrictEqual(format(first[i] as never), x) && isDeepStrictEqual(format(second[i] as never), y)) {
          used.add(i);
          return (given) => format(given[i] as never);
        }
    const generator = generatorOf(x, y, since);
    if (generator !== undefined) {
      generated.add(generator);
      return generator;
    }
    if (!isDeepStrictEqual(x, y) || isToday(x, since)) throw new Unsupported('a value is changed in an unknown way');
    return () => x;
  }
  const slots = a.values.map((value, i) => slotOf(value, b.values[i]));
  if (equal.some((i) => !used.has(i))) throw new Unsupported('a value is not sent');
  const now = new Date();
  if (slots.some((slot, i) => !generated.has(slot) && !isDeepStrictEqual(slot(values, now), c.values[i])))
    throw new Unsupported('a value is changed in an unknown way');
  return { text: a.text, slots, reader: readerOf(dataModel, call.model, call.operation, call.args) };
}

async function recordStatement(dry: DryRuns, call: PrismaCall, args: object | undefined) {
  // Generated timestamps must differ between the runs, or they would be taken for constants.
  await delay(2);
  const { sent, error }: DryRun = await dry.run(call, args);
  const [only, another] = sent;
  if (another !== undefined) throw new Unsupported('more than one statement');
  if (only === undefined) throw new Unsupported(unsupportedReason(error));
  return only;
}

/** Returns one of few reasons, because the plans are counted by reason. */
function unsupportedReason(error: unknown): string {
  if (!(error instanceof Error)) return 'no statement was sent';
  const { code } = error as { code?: string };
  return `Prisma rejects the call (${code ?? error.constructor.name})`;
}

interface DryRun {
  value: unknown;
  error: unknown;
  sent: Sent[];
}

/** A Prisma client whose models are accessed by name. */
export type AnyClient = Record<string, Record<string, (args?: object) => Promise<unknown>>> & {
  $transaction: (work: (client: AnyClient) => Promise<unknown>, options?: object) => Promise<unknown>;
  $queryRaw: (query: object) => Promise<unknown>;
  $executeRaw: (query: object) => Promise<unknown>;
  $disconnect: () => Promise<void>;
};

/** Returns the client's member of a model. */
export const delegateName = (model: string): string => (model[0] ?? '').toLowerCase() + model.slice(1);

export interface DryRuns {
  /** Runs a call. Without `answer`, its statement returns no rows. */
  run: (call: PrismaCall, args: object | undefined, answer?: Answer) => Promise<DryRun>;
  raw: (method: '$queryRaw' | '$executeRaw', query: object, answer: Answer) => Promise<DryRun>;
  /** Returns the error that Prisma throws if connecting or COMMIT fails with `error`. */
  transactionError: (error: unknown, at: 'connect' | 'COMMIT') => Promise<unknown>;
  close: () => Promise<void>;
}

/** @param createClient creates a Prisma client for the first run */
export function dryRuns(
  createClient: (adapter: ReturnType<typeof dryAdapter>['factory']) => AnyClient,
  adapt: Adapt,
): DryRuns {
  const adapter = dryAdapter(adapt);
  let client: AnyClient | undefined;
  /** Serialises runs, because the adapter has one answer, and because Prisma merges simultaneous `findUnique` calls. */
  let free: Promise<unknown> = Promise.resolve();
  function runSerially(work: (client: AnyClient) => Promise<unknown>, answer?: Answer, only?: string): Promise<DryRun> {
    const run = async (): Promise<DryRun> => {
      client ??= createClient(adapter.factory);
      const sent = adapter.expect(answer, only);
      return work(client).then(
        (value) => ({ value, error: undefined, sent }),
        (error: unknown) => ({ value: undefined, error, sent }),
      );
    };
    const done = free.then(run);
    free = done.catch(() => {});
    return done;
  }
  return {
    run: ({ model, operation }, args, answer) =>
      runSerially(async (client) => client[delegateName(model.name)]?.[operation]?.(args), answer),
    raw: (method, query, answer) => runSerially(async (client) => client[method](query), answer),
    async transactionError(error, at) {
      const run = await runSerially(
        (client) => client.$transaction(async () => {}),
        { error },
        at === 'COMMIT' ? at : undefined,
      );
      return run.error ?? error;
    },
    close: async () => client?.$disconnect(),
  };
}

const MAX_WAITING = 100;

/** Milliseconds before the first recording, because a starting process has more urgent work. */
const START_DELAY_MS = 1000;

interface Entry {
  plan: StatementPlan | UnsupportedPlan;
  /** True if used since the last eviction, which spares such plans once (second-chance algorithm). */
  isUsed: boolean;
}

export interface PlanCache {
  get: (key: string) => StatementPlan | UnsupportedPlan | undefined;
  /** Records a shape in the background at its second use. @param prepare returns the function that records */
  record: (key: string, prepare: () => () => Promise<StatementPlan | UnsupportedPlan>) => void;
  markUnsupported: (key: string, reason: string) => void;
  clear: () => void;
  /** Resolves when no recording is pending. */
  settled: () => Promise<void>;
}

/** @param perSecond limits recordings, because callers may choose the shapes of their calls */
export function planCache(limit: number, perSecond: number): PlanCache {
  const plans = new Map<string, Entry>();
  const wasSeen = seenBefore(limit);
  const waiting = new Map<string, () => Promise<StatementPlan | UnsupportedPlan>>();
  let generation = 0;
  let nextAt = performance.now() + START_DELAY_MS;
  let recording: Promise<void> | undefined;

  function makeRoom(): void {
    for (const [key, { plan, isUsed }] of plans) {
      if (plans.size < limit) return;
      plans.delete(key);
      if (isUsed) plans.set(key, { plan, isUsed: false });
    }
  }

  async function recordAll(): Promise<void> {
    while (waiting.size > 0) {
      const wait = nextAt - performance.now();
      // Keeps the recording out of the current request.
      await new Promise<void>((resolve) => {
        if (wait > 1) setTimeout(resolve, wait).unref();
        else setImmediate(resolve);
      });
      nextAt = performance.now() + 1000 / perSecond;
      const [next] = waiting;
      if (next === undefined) return;
      const [key, record] = next;
      const before = generation;
      const plan = await record();
      waiting.delete(key);
      if (before !== generation) continue;
      makeRoom();
      plans.set(key, { plan, isUsed: true });
    }
  }

  return {
    get(key) {
      const entry = plans.get(key);
      if (entry === undefined) return undefined;
      entry.isUsed = true;
      return entry.plan;
    },
    record(key, prepare) {
      if (waiting.has(key)) return;
      if (!wasSeen(key)) return;
      if (waiting.size >= MAX_WAITING) return;
      waiting.set(key, prepare());
      recording ??= recordAll().finally(() => {
        recording = undefined;
      });
    },
    markUnsupported: (key, reason) => void plans.set(key, { plan: { reason }, isUsed: true }),
    clear() {
      generation++;
      plans.clear();
    },
    settled: async () => {
      // Keeps a waiting process alive, because the timers of recordings are unreferenced.
      const alive = setInterval(() => {}, 1000);
      while (recording !== undefined) await recording;
      clearInterval(alive);
    },
  };
}

/** Names of prepared statements. A server keeps a statement until its connection ends, so names are not reused. */
export interface StatementNames {
  /** Returns an empty string if the limit is reached. The statement is then not prepared. */
  nameOf: (text: string) => string;
  /** Returns the name and the columns of a text; an empty name for its first use. */
  repeated: (text: string) => Named;
  /** Changes all names, because PostgreSQL rejects statements that were prepared before a table was altered. */
  renew: () => void;
}

type Named = Required<Pick<Statement, 'name' | 'columns'>>;

export function statementNames(limit: number): StatementNames {
  const names = new Map<string, Named>();
  const isSecond = seenBefore(limit);
  let revision = 0;
  function of(text: string): Named {
    const known = names.get(text);
    if (known !== undefined) return known;
    if (names.size >= limit) return { name: '', columns: {} };
    // A hash, because a pooler may share a server connection between processes of two versions.
    const hash = createHash('sha256').update(`${text}${revision}`).digest('base64url').slice(0, 22);
    const named = { name: `prepared_${hash}`, columns: {} };
    names.set(text, named);
    return named;
  }
  return {
    nameOf: (text) => of(text).name,
    repeated: (text) => (names.has(text) || isSecond(text) ? of(text) : { name: '', columns: {} }),
    renew() {
      revision++;
      names.clear();
    },
  };
}

/** Returns a function that returns true for the second use of a text. */
function seenBefore(limit: number): (text: string) => boolean {
  const seen = new Set<string>();
  return (text) => {
    if (seen.delete(text)) return true;
    const oldest = seen.size >= limit ? seen.values().next().value : undefined;
    if (oldest !== undefined) seen.delete(oldest);
    seen.add(text);
    return false;
  };
}
