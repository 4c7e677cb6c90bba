import { randomUUID } from 'node:crypto';
import { type Effect, effectWithin, inOneStatement } from '../accounts/effects.js';
import { type Deed, type Standing, writing } from '../accounts/writing.js';
import { authenticated, type Call, type KeyedRequest, type Policy } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import type { IdempotencyKey, Prisma, PrismaClient } from '../database/client.js';
import { type Sql, type Statements, statement, type Transactions } from '../database/statement.js';
import type { Value } from '../database/values.js';
import { macs, markOf, type Secrets } from '../secrets.js';

type Transaction = Prisma.TransactionClient;

/** Milliseconds that a key is kept. */
const KEPT = 24 * 60 * 60 * 1000;

/** Bytes of the code of a request. */
const CODE_BYTES = 32;

/** How an effect is answered. */
export interface Answering<Made, Answer extends object> {
  /** Made in the transaction of the effect, and kept: status, headers and body. A pure function of what was made. */
  answer: (made: Made) => Answer;
  /** The user whom the answer tells of: with that account it is forgotten. */
  ownerOf: (made: Made) => number;
}

/**
 * The ways to have an effect. Each is one transaction, in which the caller may do the deed (see `writing`) and the call's key
 * is written down as well.
 */
export interface Effects<Made extends object, Rules extends Policy = Policy> {
  /** By one statement; it is all there is, where the call has no key. @returns what it made, as `effect` does */
  inOneStatement: <Values extends readonly Value[]>(
    deed: Deed<Rules>,
    effect: Effect<Values, Made>,
    ...values: Values
  ) => Promise<Made>;
  /** @returns what `work` made; the answer to it is from then on the answer to the key */
  effect: (deed: Deed<Rules>, work: (db: Transaction) => Promise<Made>) => Promise<Made>;
  /**
   * For what goes on for longer: the key is in flight until `finish` or `abandon` is called for the work.
   * @param work gets the id of the work, a new UUID, to be stored with what tells how it stands
   */
  begin: <Begun>(deed: Deed<Rules>, work: (db: Transaction, workId: string) => Promise<Begun>) => Promise<Begun>;
}

interface IdempotencyDependencies {
  client: PrismaClient;
  statements: Statements;
  /** Any server secrets; all instances must share them. */
  secrets: Secrets;
  now: () => number;
}

export type Idempotency = ReturnType<typeof idempotencyService>;

type Key = [callerId: number, operation: string, key: string, now: Date];
const recordOfKey = statement<Key, Pick<IdempotencyKey, 'fingerprint' | 'answer' | 'workId'>>(
  'idempotency key',
  `SELECT fingerprint, answer, work_id AS "workId" FROM idempotency_keys
  WHERE caller_id = $1 AND operation = $2 AND key = $3 AND (expires_at > $4 OR work_id IS NOT NULL)`,
);

const inFlight = () => new Failure('CONFLICT', 'The first request with this idempotency key is still running.');

const deleteExpired = statement<[now: Date], never>(
  'expired idempotency keys',
  'DELETE FROM idempotency_keys WHERE expires_at <= $1 AND work_id IS NULL',
);

/**
 * Idempotency keys (IETF draft-ietf-httpapi-idempotency-key-header), for every operation that takes one. A key is written
 * down in the transaction of its effect: a crash leaves both or neither, and what failed has left nothing.
 */
export function idempotencyService({ client, statements, secrets, now }: IdempotencyDependencies) {
  const codes = macs(secrets, 'accord idempotency', CODE_BYTES);
  const mark = markOf(secrets[0] as string);
  const fingerprintOf = ({ content }: KeyedRequest) => new Uint8Array(Buffer.concat([mark, codes.make(content())]));
  const scopeOf = (call: Call, { operation, key }: KeyedRequest) => ({
    callerId: authenticated(call).id,
    operation,
    key,
  });

  /** @throws Failure VALIDATION_FAILED for another body, CONFLICT for a key in flight or whose answer is gone */
  async function recall<Answer extends object>(call: Call, request: KeyedRequest): Promise<Answer | undefined> {
    const { callerId, operation, key } = scopeOf(call, request);
    const [record] = await statements.read(recordOfKey, callerId, operation, key, new Date(now()));
    if (!record) return undefined;
    if (!codes.holds(request.content(), record.fingerprint.subarray(-CODE_BYTES))) {
      throw new Failure('VALIDATION_FAILED', 'This idempotency key was used with another body.', {
        issues: [{ parameter: 'Idempotency-Key', detail: 'was used with another body' }],
      });
    }
    if (record.workId !== null) throw inFlight();
    if (record.answer === null) throw new Failure('CONFLICT', 'What this idempotency key made was deleted since.');
    await call.checkpoint();
    return readAnswer(record.answer) as Answer;
  }

  /** Runs `work` in a transaction that holds the key; another one that holds it is a request in flight. */
  const holding = <R, Db extends Sql, Rules extends Policy>(
    on: Transactions<Db>,
    call: Call<Rules>,
    request: KeyedRequest,
    deed: Deed<NoInfer<Rules>>,
    work: (db: Db, standing: Standing<Rules>) => Promise<R>,
  ): Promise<R> =>
    writing(on, call, deed, async (db, standing) => {
      const { callerId, operation, key } = scopeOf(call, request);
      const name = `${callerId} ${operation} ${key}`;
      // Two statements, for the second one has to see what was committed before the lock was there.
      const [[lock], written] = await Promise.all([
        db.$queryRaw<{ held: boolean }[]>`SELECT pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) AS held`,
        db.$queryRaw<object[]>`
          SELECT 1 AS written FROM idempotency_keys WHERE caller_id = ${callerId} AND operation = ${operation} AND key = ${key}
          AND (expires_at > ${new Date(now())}::timestamptz OR work_id IS NOT NULL)`,
      ]);
      if (!lock?.held || written.length > 0) throw inFlight();
      return work(db, standing);
    });

  /**
   * In the place of one that has expired, where the hourly sweep has not come by yet. The key of the table has the last word,
   * whoever looked first.
   * @throws Failure CONFLICT where another request has written it down
   */
  async function write(
    db: Sql,
    call: Call,
    request: KeyedRequest,
    { answer, ownerId, workId }: { answer?: string; ownerId?: number; workId?: string },
  ): Promise<void> {
    const { callerId, operation, key } = scopeOf(call, request);
    const at = now();
    const count = await db.$executeRaw`
      INSERT INTO idempotency_keys AS known (caller_id, operation, key, fingerprint, expires_at, answer, owner_id, work_id)
      VALUES (${callerId}, ${operation}, ${key}, ${fingerprintOf(request)}, ${new Date(at + KEPT)}::timestamptz,
        ${answer ?? null}, ${ownerId ?? null}, ${workId ?? null}::uuid)
      ON CONFLICT (caller_id, operation, key) DO UPDATE SET fingerprint = EXCLUDED.fingerprint,
        expires_at = EXCLUDED.expires_at, answer = EXCLUDED.answer, owner_id = EXCLUDED.owner_id, work_id = EXCLUDED.work_id
      WHERE known.expires_at <= ${new Date(at)}::timestamptz AND known.work_id IS NULL`;
    if (count === 0) throw inFlight();
  }

  return {
    /**
     * Runs `perform` at most once for the call's key, or repeats the answer that was given. Comes after authorisation and
     * before loading. A call without a key is performed whenever it comes.
     * @throws Failure VALIDATION_FAILED for a key used with another body, CONFLICT for a key in flight
     */
    async once<Made extends object, Answer extends object, Rules extends Policy>(
      call: Call<Rules>,
      { answer, ownerOf }: Answering<Made, Answer>,
      perform: (effects: Effects<Made, Rules>) => Promise<Made>,
    ): Promise<Answer> {
      const request = call.idempotency;
      if (!request) {
        return answer(
          await perform({
            inOneStatement: (deed, effect, ...values) => inOneStatement(statements, call, deed, effect, ...values),
            effect: (deed, work) => writing(client, call, deed, work),
            begin: (deed, work) => writing(client, call, deed, (db) => work(db, randomUUID())),
          }),
        );
      }
      const known = await recall<Answer>(call, request);
      if (known) return known;
      const keep = async (db: Sql, made: Made): Promise<Made> => {
        await write(db, call, request, { answer: writtenAnswer(answer(made)), ownerId: ownerOf(made) });
        return made;
      };
      const effects: Effects<Made, Rules> = {
        inOneStatement: (deed, effect, ...values) =>
          holding(statements, call, request, deed, async (db, standing) =>
            keep(db, await effectWithin(db, standing, deed, effect, values)),
          ),
        effect: (deed, work) => holding(client, call, request, deed, async (db) => keep(db, await work(db))),
        begin: (deed, work) =>
          holding(client, call, request, deed, async (db) => {
            const workId = randomUUID();
            await write(db, call, request, { workId });
            return work(db, workId);
          }),
      };
      try {
        return answer(await perform(effects));
      } catch (error) {
        // The conflict may be with a request under this very key, which was first: then its answer is ours too.
        const isConflict = error instanceof Failure && error.code === 'CONFLICT';
        const first = isConflict && (await recall<Answer>(call, request));
        if (first) return first;
        throw error;
      }
    },

    /**
     * Ends a work that `begin` began, in the transaction of its effect. Without a key there is nothing to answer.
     * @param answer what the first request is answered, were it to wait so long
     * @param ownerId the user whom it tells of
     */
    async finish(db: Transaction, workId: string, answer: object, ownerId: number): Promise<void> {
      const data = { workId: null, answer: writtenAnswer(answer), ownerId };
      await db.idempotencyKey.updateMany({ where: { workId }, data });
    },

    /** Ends a work that `begin` began without an effect: the key is free again. */
    async abandon(db: Transaction, workId: string): Promise<void> {
      await db.idempotencyKey.deleteMany({ where: { workId } });
    },

    /** Deletes the keys that have expired. */
    async sweep(): Promise<void> {
      await statements.run(deleteExpired, new Date(now()));
    },
  };
}

/** An answer as it is kept. JSON has no bytes: a body of bytes stands beside it. */
function writtenAnswer(answer: object): string {
  const { body } = answer as { body?: unknown };
  if (!(body instanceof Uint8Array)) return JSON.stringify(answer);
  return JSON.stringify({ ...answer, body: undefined, bytes: Buffer.from(body).toString('base64') });
}

function readAnswer(written: string): object {
  const { bytes, ...answer } = JSON.parse(written) as { bytes?: string };
  return bytes === undefined ? answer : { ...answer, body: Buffer.from(bytes, 'base64') };
}

/**
 * Forgets what was remembered of somebody's things, which go with the account. The keys stay used, so that a late retry makes
 * nothing again.
 */
export async function forget(db: Sql, ownerId: number): Promise<void> {
  await db.$executeRaw`UPDATE idempotency_keys SET answer = NULL, owner_id = NULL WHERE owner_id = ${ownerId}`;
}
