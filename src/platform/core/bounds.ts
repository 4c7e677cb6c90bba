/**
 * The bounds of the service: how much may arrive, run, wait and be sent. Code reads the numbers here, and
 * docs/limits-and-errors.md prints the table.
 * @module
 */

/** The number holds for each of these, or for the whole process. */
type Scope =
  | 'request'
  | 'answer'
  | 'operation'
  | 'connection'
  | 'socket'
  | 'caller'
  | 'address'
  | 'service'
  | 'process';

export interface Bound {
  /** In the unit that `name` states. */
  readonly value: number;
  readonly name: string;
  readonly scope: Scope;
  /** The consequence of exceeding the bound. */
  readonly beyond: string;
  /** The metric that shows the bound at work; undefined if `http_request_duration_seconds` shows the refusals by status. */
  readonly metric?: string;
}

const bound = (value: number, name: string, scope: Scope, beyond: string, metric?: string): Bound =>
  Object.freeze({ value, name, scope, beyond, ...(metric !== undefined && { metric }) });

const MIB = 1024 * 1024;

/** The bounds that no variable changes. */
export const BOUNDS = {
  headerBytes: bound(16_384, 'bytes of the headers', 'request', '431'),
  requestId: bound(128, 'characters of an `X-Request-Id` that is kept', 'request', 'a new id'),
  refusals: bound(10, 'answers 429, or 503 for overload', 'connection', 'the connection is closed'),
  headersTime: bound(10_000, 'milliseconds for the headers of a request', 'connection', '408'),
  requestTime: bound(15_000, 'milliseconds for a whole request', 'connection', '408'),
  responseTime: bound(10_000, 'milliseconds for the answer of a handler', 'request', '503'),
  unreadTime: bound(30_000, 'milliseconds in which a client accepts no byte', 'connection', 'the connection is closed'),
  responseBytes: bound(8 * MIB, 'bytes of an answer', 'answer', '413'),
  responsesOfCaller: bound(32 * MIB, 'bytes of large or pipelined answers that are unread', 'caller', '429'),
  responsesUnderWay: bound(
    40 * MIB,
    'bytes of large or pipelined answers that are unread',
    'process',
    '503',
    'answer_bytes',
  ),
  costUnderWay: bound(2500, 'cost of large GraphQL operations, per 192 MiB of heap limit', 'process', 'they wait'),
  operationsWaiting: bound(256, 'large GraphQL operations that wait', 'process', '503'),
  stopTime: bound(8000, 'milliseconds for running requests when the service stops', 'process', 'they are cut'),
  requestsUnderWay: bound(128, 'requests and operations that run', 'process', 'they wait', 'requests_under_way'),
  bodyStreams: bound(32, 'bodies that a handler reads while they arrive', 'process', '503'),
  requestsWaiting: bound(1000, 'requests and operations that wait', 'process', '503', 'requests_shed_total'),
  pagesOfCaller: bound(4, 'pages of a stream that are read and sent', 'caller', 'they wait', 'requests_under_way'),
  pages: bound(8, 'pages of a stream that are read and sent', 'process', 'they wait', 'requests_under_way'),
  pageRows: bound(100, 'entries of a page of a stream', 'operation', 'the next page has them'),
  hashesWaiting: bound(100, 'password hashes that wait', 'process', '503 for the largest network', 'password_hashes'),
  keyWait: bound(3000, 'milliseconds that a request waits for the first one with its key', 'request', '409'),
  keyWaiting: bound(32, 'requests that wait for the first one with their idempotency key', 'process', '409'),
  socketsPerUser: bound(20, 'WebSockets', 'caller', 'close 1013', 'websockets_open'),
  socketOperations: bound(100, 'operations that are open', 'socket', 'BAD_REQUEST', 'graphql_operations_refused_total'),
  socketMessage: bound(256 * 1024, 'bytes of a message to the service', 'socket', 'close 1009'),
  socketQueue: bound(MIB, 'bytes that wait to be sent', 'socket', 'close 1013'),
  socketExcess: bound(100, 'pings, pongs and operations beyond the rate in 10 seconds', 'socket', 'close 1008'),
  socketInit: bound(3000, 'milliseconds for `connection_init`', 'socket', 'close 4408'),
  connectionAge: bound(600_000, 'milliseconds that a connection to PostgreSQL lives', 'connection', 'it is replaced'),
  migrationLock: bound(
    1000,
    'milliseconds that a migration waits for a table lock',
    'process',
    'it retries after a pause',
  ),
  outsideCalls: bound(32, 'calls to a service that run', 'service', 'they wait', 'dependency_up'),
  outsideWaiting: bound(16, 'calls to a service that wait', 'service', '503', 'dependency_up'),
  outsideResponse: bound(MIB, 'bytes of an answer that the application asks for', 'answer', '502', 'dependency_up'),
} as const satisfies Readonly<Record<string, Bound>>;

/** The bounds that a variable changes; the variable states name and default. */
export const VARIABLE_BOUNDS: Readonly<Record<string, Pick<Bound, 'scope' | 'beyond' | 'metric'>>> = {
  BODY_LIMIT: { scope: 'request', beyond: '413' },
  RATE_LIMIT: { scope: 'caller', beyond: '429' },
  RATE_LIMIT_ANONYMOUS: { scope: 'address', beyond: '429' },
  RATE_CEILING: { scope: 'address', beyond: '429' },
  LOGIN_LIMIT: { scope: 'address', beyond: '429' },
  REQUEST_LOG_RATE: { scope: 'process', beyond: 'they are counted, and a line states the number' },
  GRAPHQL_MAX_DEPTH: { scope: 'operation', beyond: 'BAD_REQUEST', metric: 'graphql_operations_refused_total' },
  GRAPHQL_MAX_COMPLEXITY: { scope: 'operation', beyond: 'BAD_REQUEST', metric: 'graphql_operations_refused_total' },
  GRAPHQL_MAX_ALIASES: { scope: 'operation', beyond: 'BAD_REQUEST', metric: 'graphql_operations_refused_total' },
  GRAPHQL_MAX_TOKENS: { scope: 'operation', beyond: 'BAD_REQUEST', metric: 'graphql_operations_refused_total' },
  GRAPHQL_MAX_BATCH: { scope: 'request', beyond: 'BAD_REQUEST', metric: 'graphql_operations_refused_total' },
  GRAPHQL_MAX_SUBSCRIBE: {
    scope: 'operation',
    beyond: 'PAYLOAD_TOO_LARGE',
    metric: 'graphql_operations_refused_total',
  },
};
