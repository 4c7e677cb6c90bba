import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MessageType } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { BOUNDS } from '../../core/bounds.js';
import type { Actor } from '../../core/calls/access.js';
import { Failure, truncate } from '../../core/calls/errors.js';
import { isPlain } from '../../core/contract/document.js';
import { recordRefusals } from '../../core/http/about-request.js';
import { contextOfFailure, toFailure } from '../../core/http/failures.js';
import { syntaxError } from '../../core/http/strict-json.js';

export const MAX_QUEUED_BYTES = BOUNDS.socketQueue.value;
const LOW_QUEUED_BYTES = 128 * 1024;
/** Bytes of a close reason (RFC 6455 §5.5). */
const MAX_REASON_BYTES = 123;
const POLL_INTERVAL_MS = 20;
const MAX_EXCESS = BOUNDS.socketExcess.value;
const EXCESS_MS = 10_000;

/** Close codes of RFC 6455 §7.4.1, its registry, and graphql-transport-ws (44xx). */
export const CLOSE = {
  policy: 1008,
  internal: 1011,
  tryAgainLater: 1013,
  /** The database was restored: subscribe again from the last id. Clients connect again after it. */
  restored: 4205,
  badMessage: 4400,
  forbidden: 4403,
} as const;

const closeCodes: Readonly<Record<string, number>> = {
  UNAVAILABLE: CLOSE.tryAgainLater,
  INTERNAL: CLOSE.internal,
};

/** Characters of an operation id. Every message of the operation repeats it. */
export const MAX_ID_LENGTH = 128;
const CLIENT_MESSAGES = [
  MessageType.ConnectionInit,
  MessageType.Subscribe,
  MessageType.Complete,
  MessageType.Ping,
  MessageType.Pong,
];

export type SocketConnection = ReturnType<typeof socketConnection>;

export function socketConnection(app: FastifyInstance, socket: WebSocket, request: FastifyRequest) {
  let actor: Actor | null = null;
  const ended = new AbortController();
  const { signal }: { signal: AbortSignal } = ended;
  const isOpen = () => socket.readyState === socket.OPEN;
  const isDrained = () => socket.bufferedAmount <= LOW_QUEUED_BYTES;

  /** Makes the request of one operation: a copy of the upgrade with the current caller, not counted yet. */
  const operationRequest = (): FastifyRequest =>
    Object.create(request, {
      actor: { value: actor },
      arrivedAt: { value: performance.now() },
      ...Object.fromEntries(
        ['rate', 'counting', 'weight', 'fields', 'codes'].map((name) => [name, { value: null, writable: true }]),
      ),
    });

  socket.once('close', () => {
    request.isOver = true;
  });

  const close = (code: number, reason: string) => socket.close(code, truncate(reason, MAX_REASON_BYTES));

  /** Returns true if the client reads what is sent. Otherwise closes the socket: omitting messages would lose them. */
  function isRead(bytes: number): boolean {
    if (socket.bufferedAmount + bytes <= MAX_QUEUED_BYTES) return true;
    close(CLOSE.tryAgainLater, 'The client reads too slowly. Connect again.');
    return false;
  }

  let excess = 0;
  let excessSince = Number.NEGATIVE_INFINITY;
  /** Counts pings and pongs of both protocols, operations beyond the rate, and messages after the end. Closes the socket. */
  function countExcess(): void {
    const now = performance.now();
    if (now - excessSince > EXCESS_MS) {
      excess = 0;
      excessSince = now;
    }
    excess += 1;
    if (excess > MAX_EXCESS)
      close(
        CLOSE.policy,
        `A socket takes ${MAX_EXCESS} pings, pongs and operations beyond the rate in ${EXCESS_MS / 1000} seconds.`,
      );
    // The client continues after the closing frame.
    if (excess > 2 * MAX_EXCESS) socket.terminate();
  }
  socket.on('pong', countExcess);
  socket.on('ping', (data: Buffer) => {
    countExcess();
    if (isOpen() && isRead(data.length)) socket.pong(data);
  });

  async function identify(payload: Record<string, unknown> | undefined): Promise<Actor> {
    const value = payload?.['Authorization'] ?? payload?.['authorization'];
    if (value !== undefined && typeof value !== 'string')
      throw new Failure('UNAUTHENTICATED', '`Authorization` in the payload must be a string.');
    const found =
      value === undefined ? await app.core.authenticate(request) : await app.core.authenticateHeader(request, value);
    if (!found)
      throw new Failure('UNAUTHENTICATED', 'The payload of connection_init needs `Authorization: Bearer <token>`.');
    return found;
  }

  function refuse(error: unknown): void {
    const failure = toFailure(error);
    recordRefusals(operationRequest(), [failure.code]);
    if (failure.code === 'INTERNAL') request.log.error({ err: failure.options.cause ?? error }, 'a socket failed');
    close(closeCodes[failure.code] ?? CLOSE.forbidden, failure.message);
  }

  return {
    upgrade: request.raw,
    isOpen,
    close,
    refuse,

    /** Closes the socket and stops its operations at once, because the closing handshake may take a while. */
    end(reason: string, code: number = CLOSE.forbidden): void {
      close(code, reason);
      ended.abort(new Failure('UNAUTHENTICATED', reason));
    },
    ended: signal,

    operationRequest,
    ping: () => socket.ping(),
    terminate: () => socket.terminate(),
    log: request.log,
    errorContext: contextOfFailure(request),
    actor: () => actor,

    /** Returns the caller of `connection_init`, or else of the header or cookie of the upgrade. */
    async authenticate(payload: Record<string, unknown> | undefined): Promise<Actor> {
      actor = await identify(payload);
      return actor;
    },

    /**
     * Renews the credential from a `ping`. User and role must stay the same. Returns false without a credential.
     */
    async renew(payload: Record<string, unknown> | undefined): Promise<boolean> {
      if (!actor || (payload?.['Authorization'] ?? payload?.['authorization']) === undefined) return false;
      await app.core.seams.limits.refuseExcess(operationRequest());
      const renewed = await identify(payload);
      if (renewed.id !== actor.id || renewed.role !== actor.role)
        throw new Failure('FORBIDDEN', 'The `Authorization` of a ping must be a token of the same user.');
      actor = renewed;
      return true;
    },

    countExcess,

    /** Sends a message, or closes the socket if too much is queued. The client can reconnect with `since`. */
    send(message: string | Buffer): void {
      if (isOpen() && isRead(Buffer.byteLength(message))) socket.send(message, { binary: false });
    },

    isDrained,
    async drained(): Promise<void> {
      while (isOpen() && !isDrained()) await delay(POLL_INTERVAL_MS, undefined, { ref: false });
    },
  };
}

/** Closes a socket after an error of graphql-ws, which throws for messages that only a server sends. */
export function failed(connection: SocketConnection, error: unknown): void {
  const isForeign = error instanceof Error && error.message.startsWith('Unexpected message of type');
  if (isForeign) connection.close(CLOSE.badMessage, 'Only a server sends messages of this type.');
  else connection.refuse(error);
}

export function messageFault(text: string): string {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return `The message is not valid JSON. At ${syntaxError(text)}.`;
  }
  if (!isPlain(message)) return 'The message must be an object with the member `type`.';
  const { type, id, payload } = message;
  if (!CLIENT_MESSAGES.includes(type as MessageType)) return `\`type\` must be ${CLIENT_MESSAGES.join(', ')}.`;
  const needsId = type === MessageType.Subscribe || type === MessageType.Complete;
  if (needsId && (typeof id !== 'string' || id === ''))
    return `\`id\` of ${type} must be a string of 1 to ${MAX_ID_LENGTH} characters.`;
  if (type !== MessageType.Subscribe || !isPlain(payload)) return `\`payload\` of ${type} must be an object.`;
  if (typeof payload['query'] !== 'string') return '`payload.query` of subscribe must be a string.';
  const wrong = ['variables', 'extensions'].find((name) => payload[name] != null && !isPlain(payload[name]));
  return wrong === undefined
    ? '`payload.operationName` of subscribe must be a string.'
    : `\`payload.${wrong}\` of subscribe must be an object.`;
}
