/** Records plans: runs calls of Prisma without a database, and captures the SQL statement and its parameters. */
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Reading, Statement } from './connection.js';
import { type Answer, dryAdapter, type Sent } from './connection.js';
import type { DataModel } from './data-model.js';
import { FORMATS, generatorOf, isToday, markerValue, type Slot } from './markers.js';
import { type Reader, readerOf } from './rows.js';
import { type Call, copyOf, type Shape, Unsupported } from './shape.js';

/** The statement of a shape, its parameters, and the reader of its rows. */
export interface Plan {
  statement: (values: unknown[], reading?: Reading) => Statement;
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
  call: Call,
  shape: Shape,
): Promise<Pick<Plan, 'slots' | 'reader'> & { text: string }> {
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

async function recordStatement(dry: DryRuns, call: Call, args: object | undefined) {
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
  run: (call: Call, args: object | undefined, answer?: Answer) => Promise<DryRun>;
  raw: (method: '$queryRaw' | '$executeRaw', query: object, answer: Answer) => Promise<DryRun>;
  /** Returns the error that Prisma throws if connecting or COMMIT fails with `error`. */
  transactionError: (error: unknown, at: 'connect' | 'COMMIT') => Promise<unknown>;
  close: () => Promise<void>;
}

/** @param createClient creates a Prisma client for the first run */
export function dryRuns(createClient: (adapter: ReturnType<typeof dryAdapter>['factory']) => AnyClient): DryRuns {
  const adapter = dryAdapter();
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
