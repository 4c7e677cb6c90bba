import { type Deed, writing } from '../accounts/writing.js';
import { authenticated, type Call, type KeyedRequest } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import { Prisma, type PrismaClient } from '../database/client.js';
import { macs, markOf, type Secrets } from '../secrets.js';

type Transaction = Prisma.TransactionClient;

/** Milliseconds that a key is kept. */
const KEPT = 24 * 60 * 60 * 1000;

/** Bytes of the code of a request. */
const CODE_BYTES = 32;

/** What an effect makes: a row that is written down as JSON and read again. */
interface Made {
  id: number;
  createdAt: Date;
}

/**
 * The ways to have an effect. Both are one transaction, in which the caller may do the deed (see `writing`) and the
 * call's key is written down as well.
 */
export interface Effects<T> {
  /** @returns what `work` made, which from then on is the answer to the key */
  effect: (deed: Deed, work: (db: Transaction) => Promise<T>) => Promise<T>;
  /** For what a payment will end: the key is in flight until `finish` or `abandon` is called for `work`'s `id`. */
  begin: <P extends { id: string }>(deed: Deed, work: (db: Transaction) => Promise<P>) => Promise<P>;
}

export interface IdempotencyDependencies {
  client: PrismaClient;
  /** Any server secrets; all instances must share them. */
  secrets: Secrets;
  now: () => number;
}

export type Idempotency = ReturnType<typeof idempotencyService>;

const inFlight = () => new Failure('CONFLICT', 'The first request with this idempotency key is still running.');

/**
 * Idempotency keys (IETF draft-ietf-httpapi-idempotency-key-header), for every operation that takes one. A key is written
 * down in the transaction of its effect: a crash leaves both or neither, and what failed has left nothing.
 */
export function idempotencyService({ client, secrets, now }: IdempotencyDependencies) {
  const codes = macs(secrets, 'accord idempotency', CODE_BYTES);
  const mark = markOf(secrets[0] as string);
  const fingerprintOf = ({ content }: KeyedRequest) => new Uint8Array(Buffer.concat([mark, codes.make(content())]));
  const scopeOf = (call: Call, { operation, key }: KeyedRequest) => ({
    callerId: authenticated(call).id,
    operation,
    key,
  });
  const kept = () => ({ OR: [{ expiresAt: { gt: new Date(now()) } }, { paymentId: { not: null } }] });

  /** @throws Failure VALIDATION_FAILED for another body, CONFLICT for a key in flight or whose result is gone */
  async function recall<T extends Made>(call: Call, request: KeyedRequest): Promise<T | undefined> {
    const record = await client.idempotencyKey.findFirst({ where: { ...scopeOf(call, request), ...kept() } });
    if (!record) return undefined;
    if (!codes.holds(request.content(), record.fingerprint.subarray(-CODE_BYTES))) {
      throw new Failure('VALIDATION_FAILED', 'This idempotency key was used with another body.', {
        issues: [{ parameter: 'Idempotency-Key', detail: 'was used with another body' }],
      });
    }
    if (record.paymentId !== null) throw inFlight();
    if (record.result === null) throw new Failure('CONFLICT', 'What this idempotency key made was deleted since.');
    await call.checkpoint();
    const made = record.result as unknown as T;
    return { ...made, createdAt: new Date(made.createdAt) };
  }

  /** Runs `work` in a transaction that holds the key; another one that holds it is a request in flight. */
  const holding = <R>(
    call: Call,
    request: KeyedRequest,
    deed: Deed,
    work: (db: Transaction) => Promise<R>,
  ): Promise<R> =>
    writing(client, call, deed, async (db) => {
      const scope = scopeOf(call, request);
      const name = `${scope.callerId} ${scope.operation} ${scope.key}`;
      const [lock] = await db.$queryRaw<{ held: boolean }[]>`
        SELECT pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) AS held`;
      if (!lock?.held) throw inFlight();
      await db.idempotencyKey.deleteMany({ where: { ...scope, NOT: kept() } });
      if (await db.idempotencyKey.count({ where: scope })) throw inFlight();
      return work(db);
    });

  const recordOf = (call: Call, request: KeyedRequest) => ({
    ...scopeOf(call, request),
    fingerprint: fingerprintOf(request),
    expiresAt: new Date(now() + KEPT),
  });

  return {
    /**
     * Runs `perform` at most once for the call's key, or repeats what it made. Comes after authorisation and before
     * loading. A call without a key is performed whenever it comes.
     * @param ownerOf the user whom the result belongs to: with that account it is forgotten
     * @throws Failure VALIDATION_FAILED for a key used with another body, CONFLICT for a key in flight
     */
    async once<T extends Made>(
      call: Call,
      ownerOf: (made: T) => number,
      perform: (effects: Effects<T>) => Promise<T>,
    ): Promise<T> {
      const request = call.idempotency;
      if (!request) {
        const plain = <R>(deed: Deed, work: (db: Transaction) => Promise<R>) => writing(client, call, deed, work);
        return perform({ effect: plain, begin: plain });
      }
      const known = await recall<T>(call, request);
      if (known) return known;
      const effects: Effects<T> = {
        effect: (deed, work) =>
          holding(call, request, deed, async (db) => {
            const made = await work(db);
            const data = { ...recordOf(call, request), result: json(made), ownerId: ownerOf(made) };
            await db.idempotencyKey.create({ data });
            return made;
          }),
        begin: (deed, work) =>
          holding(call, request, deed, async (db) => {
            const payment = await work(db);
            await db.idempotencyKey.create({ data: { ...recordOf(call, request), paymentId: payment.id } });
            return payment;
          }),
      };
      return perform(effects).catch(async (error: unknown) => {
        // The conflict may be with a request under this very key, which was first: then its answer is ours too.
        const first = error instanceof Failure && error.code === 'CONFLICT' && (await recall<T>(call, request));
        if (first) return first;
        throw error;
      });
    },

    /** Ends what `begin` began: `made` is the answer to its key. */
    async finish(db: Transaction, paymentId: string, made: Made, ownerId: number): Promise<void> {
      const data = { paymentId: null, result: json(made), ownerId };
      await db.idempotencyKey.updateMany({ where: { paymentId }, data });
    },

    /** Ends what `begin` began without an effect: the key is free again. */
    async abandon(db: Transaction, paymentId: string): Promise<void> {
      await db.idempotencyKey.deleteMany({ where: { paymentId } });
    },

    /** Deletes the keys that have expired. */
    async sweep(): Promise<void> {
      await client.idempotencyKey.deleteMany({ where: { NOT: kept() } });
    },
  };
}

const json = (made: Made) => JSON.parse(JSON.stringify(made)) as Prisma.InputJsonObject;

/**
 * Forgets what was remembered of somebody's things, which go with the account. The keys stay used, so that a late retry makes
 * nothing again.
 */
export async function forget(db: Transaction, ownerId: number): Promise<void> {
  await db.idempotencyKey.updateMany({ where: { ownerId }, data: { result: Prisma.DbNull, ownerId: null } });
}
