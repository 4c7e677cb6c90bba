/** Declares the order of all stages. The service runs them in this order, and docs/architecture.md prints it. @module */

import type { Code } from './contract/codes.js';
import type { Member } from './operations/running.js';
import type { Seams } from './part.js';

/** The parts that may be left out. */
export type PartName = keyof Seams;
export type Owner = PartName | 'core';

/** REST includes the pages, and addresses without a route. */
export type Transport = 'REST' | 'GraphQL' | 'sockets';

interface More {
  readonly outsideProduction?: true;
  /** The member of the call that the stage puts there, for the stages that need it. */
  readonly puts?: Member;
}

/** `refuses` is in the order of the stage's decisions. INTERNAL, and UNAVAILABLE without a database, are possible in any stage. */
export type StageRow = readonly [
  name: string,
  owner: Owner,
  on: readonly Transport[],
  does: string,
  refuses?: readonly Code[],
  more?: More,
];

/** Nothing to refuse, or the sentence that the compiler prints. */
type Once<Rows, Seen = never> = Rows extends readonly [infer First extends StageRow, ...infer Rest]
  ? First[0] extends Seen
    ? `${First[0]} stands twice.`
    : Once<Rest, Seen | First[0]>
  : unknown;
const table = <const Rows extends readonly StageRow[]>(...rows: Rows & Once<Rows>): Rows => rows as Rows;

const ALL = ['REST', 'GraphQL', 'sockets'] as const;
const HTTP = ['REST', 'GraphQL'] as const;
const REST = ['REST'] as const;
const GRAPHQL = ['GraphQL', 'sockets'] as const;
const SOCKETS = ['sockets'] as const;

/** The stages that Node and Fastify run. */
const INCOMING = table(
  ['http-parser', 'core', ALL, 'reads the request line and the headers', ['BAD_REQUEST', 'REQUEST_TIMEOUT']],
  ['admission', 'limits', HTTP, 'waits for a free place; health probes need none', ['UNAVAILABLE']],
);
const ROUTING = table(
  ['version-selection', 'versions', REST, 'selects the version and the canonical address'],
  ['router', 'core', ALL, 'finds the route', ['BAD_REQUEST']],
);
const VALIDATION = table(['structure', 'core', REST, 'checks types and required members of the body', ['BAD_REQUEST']]);

/** Stages of a request, by the hook of Fastify in which they run. */
const ON_REQUEST = table(
  ['route', 'core', ALL, 'looks up the plan of the route'],
  ['request-id', 'core', ALL, 'keeps a valid `X-Request-Id`, or sets a new one'],
  ['security-headers', 'core', ALL, 'sets `Content-Security-Policy` and other security headers'],
  ['api-version', 'versions', REST, 'reports the API version, on refusals too'],
  [
    'upgrade',
    'live',
    SOCKETS,
    'refuses an upgrade during shutdown, at another address, and with cookies from a foreign page',
    ['UNAVAILABLE', 'BAD_REQUEST', 'FORBIDDEN'],
  ],
  [
    'foreign-host',
    'browsers',
    ALL,
    'refuses a browser that uses a foreign name',
    ['FORBIDDEN'],
    { outsideProduction: true },
  ],
  ['cross-origin', 'browsers', HTTP, 'answers CORS preflights, and sets the CORS headers'],
  ['cookies', 'browsers', ALL, 'parses cookies'],
  ['session-cookies', 'browsers', ALL, 'removes the prefixes from the names of session cookies'],
  ['strict-transport', 'core', ALL, 'sets `Strict-Transport-Security`'],
  ['ceiling', 'limits', ALL, 'counts the request for its address, before any database query', ['RATE_LIMITED']],
  ['upgrade-admission', 'limits', SOCKETS, 'refuses an upgrade while no place is free', ['UNAVAILABLE']],
  ['second-host', 'core', ALL, 'refuses two Host headers', ['BAD_REQUEST']],
  // Precedes every stage that reads the operation.
  ['served-version', 'versions', REST, 'refuses wrong versions', ['BAD_REQUEST', 'NOT_FOUND', 'NOT_ACCEPTABLE']],
  ['trailing-slash', 'core', ALL, 'redirects to the path without the slash, if a route has it', ['NOT_FOUND']],
  ['media-types', 'core', REST, 'negotiates the media types', ['NOT_ACCEPTABLE', 'UNSUPPORTED_MEDIA_TYPE']],
);
const PRE_PARSING = table(
  ['place-left', 'limits', HTTP, 'releases the place while a slow client sends the body'],
  [
    'body',
    'core',
    HTTP,
    'parses JSON, and the other media types of the contract: text, or a stream for the handler',
    ['UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE', 'BAD_REQUEST'],
  ],
);
const PRE_VALIDATION = table(
  ['handler-timeout', 'core', ALL, 'limits the time for the answer', ['UNAVAILABLE']],
  ['place-taken', 'limits', HTTP, 'takes a place again when the body is complete', ['UNAVAILABLE']],
  ['null-body', 'core', REST, 'refuses the body `null`, and a missing body that selects a schema', ['BAD_REQUEST']],
  ['parameters', 'core', REST, 'reads parameters by their types; refuses unknown and missing ones', ['BAD_REQUEST']],
);
const PRE_HANDLER = table(
  ['page', 'core', REST, 'reads the cursor of a list', ['BAD_REQUEST']],
  [
    'authentication',
    'core',
    REST,
    'authenticates over HTTPS only, with a limit on wrong passwords',
    ['FORBIDDEN', 'RATE_LIMITED', 'UNAUTHENTICATED'],
  ],
);
const ON_SEND = table(
  ['response-there', 'core', ALL, 'ends the time limit for the answer'],
  ['rate-headers', 'limits', ALL, 'reports the rate to the caller; counts requests that were refused earlier'],
  // Follows stages that may authenticate, which need the place.
  ['place-returned', 'limits', HTTP, 'frees the place for the next request'],
  ['deprecation', 'versions', REST, 'announces the end of a deprecated operation'],
);
const ON_RESPONSE = table(
  ['upgrade-end', 'live', SOCKETS, 'ends the connection of an upgrade that was refused'],
  ['metrics', 'observability', ALL, 'counts and times the answer'],
  ['request-line', 'observability', ALL, 'writes the line of the request to the log'],
  ['refusals', 'identity', ALL, 'writes refusals to the audit table'],
);

/** Stages of a message of GraphQL, of each of its operations, and of an operation with a valid document. */
const MESSAGE = table(
  ['operation', 'core', GRAPHQL, 'reads the operations of the message, a batch by POST', ['BAD_REQUEST']],
  ['weight', 'limits', GRAPHQL, 'counts the operations for the address, by their cost', ['RATE_LIMITED']],
);
const DOCUMENT = table(
  ['document', 'core', GRAPHQL, 'parses the document', ['PAYLOAD_TOO_LARGE', 'BAD_REQUEST']],
  ['caller', 'core', GRAPHQL, 'authenticates requests by POST', ['FORBIDDEN', 'RATE_LIMITED', 'UNAUTHENTICATED']],
);
const READY = table(
  ['document-validity', 'core', GRAPHQL, 'checks limits, the document, and its variables', ['BAD_REQUEST']],
  ['https', 'core', REST, 'refuses credentials in the body over plain HTTP', ['FORBIDDEN']],
  ['own-origin', 'browsers', HTTP, 'refuses cookies from a foreign page on a write', ['FORBIDDEN']],
);

/** Stages of an operation of REST, and of each root field of GraphQL. */
const BEFORE_EFFECT = table(
  ['access', 'core', ALL, 'checks the policy by the role', ['UNAUTHENTICATED', 'FORBIDDEN'], { puts: 'caller' }],
  ['own-id', 'core', ALL, 'compares an id that decides by itself with that of the caller', ['FORBIDDEN', 'NOT_FOUND']],
);
/** Again if another process has used the idempotency key meanwhile. */
const IN_TURN = table(
  ['kept-row', 'core', REST, 'checks the owner of the row of a repeated request', ['FORBIDDEN', 'NOT_FOUND']],
  ['replay', 'idempotency', REST, 'answers a repeated request', ['VALIDATION_FAILED', 'CONFLICT'], { puts: 'answer' }],
  ['parent', 'core', ALL, 'loads the parent row of the target', ['NOT_FOUND', 'GONE'], { puts: 'parent' }],
  ['parent-access', 'core', ALL, 'checks the owner of the parent row', ['FORBIDDEN', 'NOT_FOUND']],
);
/** As soon as the transaction of a writing operation begins: its locks travel with BEGIN. */
const LOCKS = table(
  ['claim', 'idempotency', REST, 'asks for the lock of the idempotency key', [], { puts: 'claim' }],
  ['lock', 'core', ALL, 'locks the accounts of the caller and of the row, and the row', [], { puts: 'accounts' }],
  ['key-in-use', 'idempotency', REST, 'refuses a key that another request uses', ['CONFLICT']],
  ['current-role', 'core', ALL, 'checks the policy by the locked account', ['UNAUTHENTICATED', 'FORBIDDEN']],
);
/** In the transaction of a writing operation. A target with `late` passes them before its transaction, and again in it. */
const LOAD = table(
  ['existence', 'core', ALL, 'loads the row of the target', ['NOT_FOUND', 'GONE'], { puts: 'row' }],
  ['row-access', 'core', ALL, 'checks the owner of the row', ['FORBIDDEN', 'NOT_FOUND']],
  ['state', 'core', ALL, 'compares `If-Match`; the handler compares states', ['PRECONDITION_FAILED', 'CONFLICT']],
);
/** Before the first write of the handler, which may refuse a state (409) earlier; before the answer at the latest. */
const BEFORE_WRITE = table(
  ['content', 'core', ALL, 'checks the constraints of the contract', ['VALIDATION_FAILED']],
  ['rate', 'limits', ALL, 'counts the request for its caller', ['RATE_LIMITED']],
);

export const SECTIONS = {
  incoming: INCOMING,
  routing: ROUTING,
  onRequest: ON_REQUEST,
  preParsing: PRE_PARSING,
  preValidation: PRE_VALIDATION,
  validation: VALIDATION,
  preHandler: PRE_HANDLER,
  message: MESSAGE,
  document: DOCUMENT,
  ready: READY,
  'before effect': BEFORE_EFFECT,
  'in turn': IN_TURN,
  locks: LOCKS,
  load: LOAD,
  'before write': BEFORE_WRITE,
  onSend: ON_SEND,
  onResponse: ON_RESPONSE,
} as const;
export type Sections = typeof SECTIONS;
export type Section = keyof Sections;
export const HOOKS = ['onRequest', 'preParsing', 'preValidation', 'preHandler', 'onSend', 'onResponse'] as const;
export type Hook = (typeof HOOKS)[number];
/** The sections whose stages are those of a request. */
export type RequestSection = Hook | 'validation';
export type OperationSection = 'before effect' | 'in turn' | 'locks' | 'load';

/** Reads the table: the rows of all sections in their order. */
export const rows = Object.entries(SECTIONS).flatMap(([section, table]) =>
  (table as readonly StageRow[]).map(([name, owner, on, does, refuses = [], more = {}]) => ({
    section: section as Section,
    name,
    owner,
    on,
    does,
    refuses,
    ...more,
  })),
);
