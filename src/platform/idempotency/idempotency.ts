import { randomUUID } from 'node:crypto';
import { type Deed, writing } from '../accounts/writing.js';
import { authenticated, type Call, type KeyedRequest, type Policy } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import type { Prisma, PrismaClient } from '../database/client.js';
import { type Statements, statement } from '../database/statement.js';
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
 * The ways to have an effect. Both are one transaction, in which the caller may do the deed (see `writing`) and the
 * call's key is written down as well.
 */
export interface Effects<Made, Rules extends Policy = Policy> {
  /** @returns what `work` made; the answer to it is from then on the answer to the key */
  effect: (deed: Deed<Rules>, work: (db: Transaction) => Promise<Made>) => Promise<Made>;
  /**
   * For what goes on for longer: the key is in flight until `finish` or `abandon` is called for the work.
   * @param work gets the id of the work, a new UUID, to be stored with what tells how it stands
   */
  begin: <Begun>(deed: Deed<Rules>, work: (db: Transaction, workId: string) => Promise<Begun>) => Promise<Begun>;
}

export interface IdempotencyDependencies {
  client: PrismaClient;
  statements: Statements;
  /** Any server secrets; all instances must share them. */
  secrets: Secrets;
  now: () => number;
}

export type Idempotency = ReturnType<typeof idempotencyService>;

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
  const kept = () => ({ OR: [{ expiresAt: { gt: new Date(now()) } }, { workId: { not: null } }] });

  /** @throws Failure VALIDATION_FAILED for another body, CONFLICT for a key in flight or whose answer is gone */
  async function recall<Answer extends object>(call: Call, request: KeyedRequest): Promise<Answer | undefined> {
    const record = await client.idempotencyKey.findFirst({ where: { ...scopeOf(call, request), ...kept() } });
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
  const holding = <R, Rules extends Policy>(
    call: Call<Rules>,
    request: KeyedRequest,
    deed: Deed<NoInfer<Rules>>,
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
     * Runs `perform` at most once for the call's key, or repeats the answer that was given. Comes after authorisation and
     * before loading. A call without a key is performed whenever it comes.
     * @throws Failure VALIDATION_FAILED for a key used with another body, CONFLICT for a key in flight
     */
    async once<Made, Answer extends object, Rules extends Policy>(
      call: Call<Rules>,
      { answer, ownerOf }: Answering<Made, Answer>,
      perform: (effects: Effects<Made, Rules>) => Promise<Made>,
    ): Promise<Answer> {
      const request = call.idempotency;
      if (!request) {
        return answer(
          await perform({
            effect: (deed, work) => writing(client, call, deed, work),
            begin: (deed, work) => writing(client, call, deed, (db) => work(db, randomUUID())),
          }),
        );
      }
      const known = await recall<Answer>(call, request);
      if (known) return known;
      const effects: Effects<Made, Rules> = {
        effect: (deed, work) =>
          holding(call, request, deed, async (db) => {
            const made = await work(db);
            const kept = { answer: writtenAnswer(answer(made)), ownerId: ownerOf(made) };
            await db.idempotencyKey.create({ data: { ...recordOf(call, request), ...kept } });
            return made;
          }),
        begin: (deed, work) =>
          holding(call, request, deed, async (db) => {
            const workId = randomUUID();
            await db.idempotencyKey.create({ data: { ...recordOf(call, request), workId } });
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
export async function forget(db: Transaction, ownerId: number): Promise<void> {
  await db.idempotencyKey.updateMany({ where: { ownerId }, data: { answer: null, ownerId: null } });
}
