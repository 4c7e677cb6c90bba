import { setTimeout as delay } from 'node:timers/promises';
import type { Part } from '../../core/application.js';
import { BOUNDS } from '../../core/bounds.js';
import { authenticated, type Call, type KeyedRequest } from '../../core/calls/access.js';
import { Failure, RETRY_AFTER_S } from '../../core/calls/errors.js';
import { inFlight } from '../../core/calls/in-flight.js';
import { andThen, begun } from '../../core/calls/schedulers.js';
import { put } from '../../core/operations/running.js';
import { macs, type Secrets } from '../../core/secrets.js';
import { needs, type StagesOf } from '../../core/stages.js';
import type { Prisma, PrismaClient } from '../../database/client.js';
import { faultOf } from '../../database/faults.js';

type Transaction = Prisma.TransactionClient;

const KEY_AGE_MS = 24 * 60 * 60 * 1000;

const MAC_BYTES = 32;

interface IdempotencyDependencies {
  client: PrismaClient;
  /** Shared by all instances. */
  secrets: Secrets;
  now: () => number;
}

/** Milliseconds between looks at a key that another process uses. */
const LOOK_INTERVAL_MS = 150;

/** One object, so that `inTurn` recognizes it. */
const IN_FLIGHT = new Failure(
  'CONFLICT',
  `The first request with this idempotency key is still running. Try again in ${RETRY_AFTER_S} seconds.`,
  { retryAfter: RETRY_AFTER_S },
);

/** Stores idempotency keys (IETF draft-ietf-httpapi-idempotency-key-header), in the transaction of their effect. */
export function idempotencyService({ client, secrets, now }: IdempotencyDependencies) {
  const codes = macs(secrets, 'accord idempotency', MAC_BYTES);
  const uniqueOf = (call: Call, { operation, key }: KeyedRequest) => ({
    callerId_operation_key: { callerId: authenticated(call).id, operation, key },
  });
  /** Returns false for a key with unfinished work. */
  const isExpired = ({ expiresAt, workId }: { expiresAt: Date; workId: string | null }) =>
    workId === null && expiresAt.getTime() <= now();
  const nameOf = (call: Call, request: KeyedRequest): string => {
    const { callerId, operation, key } = uniqueOf(call, request).callerId_operation_key;
    return `${callerId} ${operation} ${key}`;
  };
  /** Requests that run in this process, with the names of their keys. */
  const running = inFlight<{ name: string; ended: Promise<void> }>();
  const runningOf = (name: string) => running.items().find((run) => run.name === name)?.ended;
  let waiting = 0;

  /** Resolves when the request has ended, or after some milliseconds. */
  async function waitFor(request: Promise<unknown>, milliseconds: number): Promise<void> {
    if (milliseconds <= 0 || waiting >= BOUNDS.keyWaiting.value) throw IN_FLIGHT;
    waiting += 1;
    await Promise.race([request, delay(milliseconds, undefined, { ref: false })]);
    waiting -= 1;
  }

  async function runUntil<T>(until: number, work: () => Promise<T>): Promise<T> {
    for (;;)
      try {
        return await work();
      } catch (error) {
        if (error !== IN_FLIGHT || performance.now() > until) throw error;
        await delay(LOOK_INTERVAL_MS);
      }
  }

  /** @throws Failure VALIDATION_FAILED for another body, CONFLICT for a key in flight or a deleted answer */
  async function recall(call: Call, request: KeyedRequest): Promise<object | undefined> {
    const record = await client.idempotencyKey.findUnique({ where: uniqueOf(call, request) });
    if (!record || isExpired(record)) return undefined;
    // Version 0.1.0 stored four bytes before the code.
    if (!codes.holds(request.content(), record.fingerprint.subarray(-MAC_BYTES))) {
      throw new Failure('VALIDATION_FAILED', 'This idempotency key was used with another body.', {
        issues: [{ parameter: 'Idempotency-Key', detail: 'was used with another body' }],
      });
    }
    if (record.workId !== null) throw IN_FLIGHT;
    if (record.answer === null) throw new Failure('CONFLICT', 'What this idempotency key made was deleted since.');
    return readResponse(record.answer);
  }

  return {
    /**
     * Waits without a connection to the database. A request whose key another process uses runs again until that process has ended.
     */
    async inTurn<T>(call: Call, request: KeyedRequest, work: () => Promise<T>): Promise<T> {
      const until = performance.now() + BOUNDS.keyWait.value;
      const name = nameOf(call, request);
      for (let first = runningOf(name); first; first = runningOf(name)) await waitFor(first, until - performance.now());
      const answerOfFirst = async (error: unknown): Promise<T> => {
        const answer = error instanceof Failure && error.code === 'CONFLICT' ? await recall(call, request) : undefined;
        if (answer) return answer as T;
        throw error;
      };
      const result = runUntil(until, () => work().catch(answerOfFirst));
      const ended = result.catch(() => {}).then(() => running.remove(place));
      const place = running.add({ name, ended });
      return result;
    },

    recall,

    /** Locks the key for the transaction of its first request. @throws Failure CONFLICT for a key in flight */
    async claim(tx: Transaction, call: Call, request: KeyedRequest): Promise<void> {
      const where = uniqueOf(call, request);
      const name = nameOf(call, request);
      // Prisma has no advisory locks. The second statement sees what was committed before the lock.
      const locked = tx.$queryRaw<{ held: boolean }[]>`
        SELECT pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) AS held`.then(([lock]) => lock);
      const found = begun(tx.idempotencyKey.findUnique({ where, select: { expiresAt: true, workId: true } }));
      const [lock, record] = await Promise.all([locked, found]);
      if (!lock?.held || (record && !isExpired(record))) throw IN_FLIGHT;
      if (record) await tx.idempotencyKey.delete({ where, select: { key: true } });
    },

    async keep(
      tx: Transaction,
      call: Call,
      request: KeyedRequest,
      { answer, ownerId = null, workId = null }: { answer?: object; ownerId?: number | null; workId?: string | null },
    ): Promise<void> {
      const data = {
        fingerprint: codes.make(request.content()),
        expiresAt: new Date(now() + KEY_AGE_MS),
        answer: answer ? writtenResponse(answer) : null,
        ownerId,
        workId,
        ...uniqueOf(call, request).callerId_operation_key,
      };
      await tx.idempotencyKey.create({ data, select: { key: true } }).catch((error: unknown) => {
        throw faultOf(error).kind === 'unique' ? IN_FLIGHT : error;
      });
    },

    async finish(tx: Transaction, workId: string, answer: object, ownerId: number): Promise<void> {
      const data = { workId: null, answer: writtenResponse(answer), ownerId };
      await tx.idempotencyKey.updateMany({ where: { workId }, data });
    },

    async abandon(tx: Transaction, workId: string): Promise<void> {
      await tx.idempotencyKey.deleteMany({ where: { workId } });
    },

    async forget(tx: Transaction, ownerId: number): Promise<void> {
      await tx.idempotencyKey.updateMany({ where: { ownerId }, data: { answer: null, ownerId: null } });
    },

    async sweep(): Promise<void> {
      await client.idempotencyKey.deleteMany({ where: { expiresAt: { lte: new Date(now()) }, workId: null } });
    },
  };
}

/** The stages of a request with a key. */
export const idempotencyStages = ({ recall, claim }: ReturnType<typeof idempotencyService>) =>
  ({
    replay: ({ isKeyed }) =>
      isKeyed
        ? (running) => {
            const { call } = running.given;
            const recalled = call.idempotency && recall(call, call.idempotency);
            return andThen(recalled, (answer) => answer && put.answer(running, answer));
          }
        : undefined,
    claim: ({ isKeyed }) =>
      isKeyed
        ? (running) => {
            const { tx, given } = running;
            const { idempotency: key } = given.call;
            const taken = key && claim(tx as Transaction, given.call, key);
            // The locks of accounts may refuse first.
            taken?.catch(() => {});
            return put.claim(running, { taken });
          }
        : undefined,
    'key-in-use': ({ isKeyed }) => (isKeyed ? needs(['claim'], ({ claim }) => claim.taken) : undefined),
  }) satisfies StagesOf<'idempotency'>;

/** Stores a body of bytes in Base64, because JSON has no bytes. */
function writtenResponse(answer: object): string {
  const { body } = answer as { body?: unknown };
  if (!(body instanceof Uint8Array)) return JSON.stringify(answer);
  return JSON.stringify({ ...answer, body: undefined, bytes: Buffer.from(body).toString('base64') });
}

function readResponse(written: string): object {
  const { bytes, ...answer } = JSON.parse(written) as { bytes?: string };
  return bytes === undefined ? answer : Object.assign(answer, { body: Buffer.from(bytes, 'base64') });
}

const HOUR_MS = 60 * 60 * 1000;

/** Keeps the answers of requests with an `Idempotency-Key`, so that a repetition has no second effect. */
export const idempotency = (): Part<'idempotency'> => ({
  name: 'idempotency',
  codes: ['CONFLICT', 'VALIDATION_FAILED'],
  tables: ['idempotency_keys'],
  open({ database: { client }, secrets, now }) {
    const service = idempotencyService({ client, secrets, now });
    return {
      stages: idempotencyStages(service),
      seam: service,
      jobs: [{ name: 'idempotency', every: HOUR_MS, run: service.sweep }],
    };
  },
});
