import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import type { Actor } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import { cut } from '../calls/issues.js';
import { errorContext } from '../graphql/errors.js';
import { toFailure } from '../http/failures.js';
import { refuseExcess } from '../limits/rate-limit.js';

/** Bytes that may wait to be sent to a client. */
const MAX_QUEUE = 1024 * 1024;
/** Bytes beyond which stored messages wait until the client has read on. */
const LOW_QUEUE = 128 * 1024;
/** Bytes of a reason (RFC 6455 §5.5). */
const MAX_REASON = 123;
/** Milliseconds between two looks at the queue. */
const LOOK = 20;

/** RFC 6455 §7.4.1 and the registry of close codes; 44xx: graphql-transport-ws. */
export const CLOSE = { internal: 1011, tryAgainLater: 1013, badMessage: 4400, forbidden: 4403 } as const;

const closeCodes: Readonly<Record<string, number>> = {
  UNAVAILABLE: CLOSE.tryAgainLater,
  INTERNAL: CLOSE.internal,
};

export type Connection = ReturnType<typeof connection>;

/** One socket: who is at its other end, and what may be sent to it. */
export function connection(app: FastifyInstance, socket: WebSocket, request: FastifyRequest) {
  let actor: Actor | null = null;
  const ended = new AbortController();
  const { signal }: { signal: AbortSignal } = ended;
  const isOpen = () => socket.readyState === socket.OPEN;

  /** A request of its own for each operation: the socket's, with who is at its end now and nothing counted yet. */
  const operationRequest = (): FastifyRequest =>
    Object.create(request, {
      actor: { value: actor },
      ...Object.fromEntries(['rate', 'counting', 'weight'].map((name) => [name, { value: null, writable: true }])),
    });

  const close = (code: number, reason: string) => socket.close(code, cut(reason, MAX_REASON));

  /** @throws Failure when nobody valid is named */
  async function identify(payload: Record<string, unknown> | undefined): Promise<Actor> {
    const value = payload?.['Authorization'] ?? payload?.['authorization'];
    if (value !== undefined && typeof value !== 'string')
      throw new Failure('UNAUTHENTICATED', '`Authorization` in the payload must be a string.');
    const found = value === undefined ? await app.authenticate(request) : await app.authenticateHeader(request, value);
    if (!found)
      throw new Failure('UNAUTHENTICATED', 'The payload of connection_init needs `Authorization: Bearer <token>`.');
    return found;
  }

  /** Ends the socket because of what was thrown; the cause of a fault of ours is logged. */
  function refuse(error: unknown): void {
    const failure = toFailure(error);
    app.noteRefusals(operationRequest(), [failure.code]);
    if (failure.code === 'INTERNAL') request.log.error({ err: failure.options.cause ?? error }, 'a socket failed');
    close(closeCodes[failure.code] ?? CLOSE.forbidden, failure.message);
  }

  return {
    isOpen,
    close,
    refuse,

    /**
     * Ends the socket because its caller may not go on: though the closing handshake takes a while, and a message be on
     * its way, nothing more is done for it.
     */
    end(reason: string): void {
      close(CLOSE.forbidden, reason);
      ended.abort(new Failure('UNAUTHENTICATED', reason));
    },
    /** Aborted by `end`; the reason is a Failure. */
    ended: signal,

    operationRequest,
    ping: () => socket.ping(),
    terminate: () => socket.terminate(),
    log: request.log,
    /** What the errors of its operations contain. */
    errorContext: errorContext(request),
    /** Null until `connection_init` has been accepted. */
    actor: () => actor,

    /** @returns the caller that `connection_init` names by its payload, or else the upgrade by its header or cookie */
    async authenticate(payload: Record<string, unknown> | undefined): Promise<Actor> {
      actor = await identify(payload);
      return actor;
    },

    /**
     * A `ping` that carries a credential renews it; whom it belongs to, and the role, stay the same.
     * @returns whether it carried one
     */
    async renew(payload: Record<string, unknown> | undefined): Promise<boolean> {
      if (!actor || (payload?.['Authorization'] ?? payload?.['authorization']) === undefined) return false;
      refuseExcess(await app.countRequest(operationRequest()));
      const renewed = await identify(payload);
      if (renewed.id !== actor.id || renewed.role !== actor.role) {
        throw new Failure('FORBIDDEN', 'The `Authorization` of a ping must be a token of the same user.');
      }
      actor = renewed;
      return true;
    },

    /**
     * Sends a message, or closes the socket when too much is waiting already: the client can connect again and go on with
     * `since`, which it could not if a message were left out.
     * @param message a text, or its bytes in UTF-8
     */
    send(message: string | Buffer): void {
      if (!isOpen()) return;
      if (socket.bufferedAmount + Buffer.byteLength(message) > MAX_QUEUE) {
        close(CLOSE.tryAgainLater, 'The client reads too slowly. Connect again.');
        return;
      }
      socket.send(message, { binary: false });
    },

    /** Resolves when little is waiting to be sent. */
    async drained(): Promise<void> {
      while (isOpen() && socket.bufferedAmount > LOW_QUEUE) await delay(LOOK, undefined, { ref: false });
    },
  };
}
