/** Declares routes: the rows that an operation addresses (its target), and its handler and reply. Applications write their routes with it. @module */

import type { Actor } from '../calls/access.js';
import { notWritten } from '../calls/errors.js';
import type { ConnectionPage, Cursors, Page, PageRequest } from '../calls/rows.js';
import { type Db, type Model, type ModelName, type Row, recordSourceLine } from './model.js';

/**
 * The decision about a target beyond the permission: the owner of its row, the identity of the caller, or nothing further.
 * @example
 * type Read = Route<GetBookRequest, GetBookReply, 'owner'>; // its target must name a row with an owner
 */
export type Decides = 'owner' | 'self' | 'nothing';
type ByOwner<Owned extends boolean> = Owned extends true ? 'owner' : 'nothing';

export interface RecordTarget<Name extends ModelName = ModelName, By extends Decides = Decides> {
  readonly kind: 'record';
  readonly model: Model<Name>;
  /** The path parameter or argument with the id. Undefined for the caller's own account. */
  readonly key: string | undefined;
  /** The parent row, if the path names both. */
  readonly of?: RecordTarget | undefined;
  /** True if the operation deletes the row. A deleted row is then 404 instead of 410. */
  readonly removes?: boolean;
  /** True if the transaction begins with the first write, after slow work. */
  readonly late?: boolean;
  readonly decides?: By;
}

/** All rows of a model, or the rows of another row. A role that reaches `own` gets its own rows. */
interface ListTarget<Name extends ModelName = ModelName, By extends Decides = Decides> {
  readonly kind: 'list';
  readonly model: Model<Name>;
  readonly of?: RecordTarget | undefined;
  readonly isConnection?: boolean;
  readonly decides?: By;
}

interface ConnectionTarget<Name extends ModelName = ModelName, By extends Decides = Decides>
  extends ListTarget<Name, By> {
  readonly isConnection: true;
}

/** A new row of the caller, `of` a row whose owner decides, or `on` a row that the caller may read. */
interface CreateTarget<Name extends ModelName = ModelName, By extends Decides = Decides> {
  readonly kind: 'create';
  readonly model: Model<Name>;
  readonly of?: RecordTarget | undefined;
  readonly on?: RecordTarget | undefined;
  readonly decides?: By;
}

interface StreamTarget<Name extends ModelName = ModelName, By extends Decides = Decides> {
  readonly kind: 'stream';
  readonly model: Model<Name>;
  readonly of?: undefined;
  readonly decides?: By;
}

export type Target = RecordTarget | ListTarget | CreateTarget | StreamTarget;

/**
 * The rows that are added to a model with a `stream`. The argument `stream.key` selects the stream, and `since` the
 * last known id.
 * @example
 * bookAdded: route({ target: stream(Book) })
 */
export const stream = <Name extends ModelName>(model: Model<Name>): StreamTarget<Name, 'nothing'> => ({
  kind: 'stream',
  model: model as never,
});

/**
 * The row that a path parameter or an argument names.
 * @param options.of the parent row in the same path
 * @param options.late begins the transaction with the first write, for slow work before it; checks the row again then
 * @example
 * getBook: route({ target: record(Book, 'book_id'), reply: ok })
 */
export const record = <Name extends ModelName, Owned extends boolean>(
  model: Model<Name, Owned>,
  key: string,
  { of, late = false }: { of?: RecordTarget; late?: boolean } = {},
): RecordTarget<Name, ByOwner<Owned>> => ({ kind: 'record', model: model as never, key, late, ...(of && { of }) });

/**
 * The row that an operation deletes.
 * @example
 * deleteBook: route({ target: removal(Book, 'id') })
 */
export const removal = <Name extends ModelName, Owned extends boolean>(
  model: Model<Name, Owned>,
  key: string,
): RecordTarget<Name, ByOwner<Owned>> => ({ kind: 'record', model: model as never, key, removes: true });

/**
 * The caller's own account.
 * @example
 * me: route({ target: caller(User) })
 */
export const caller = <Owned extends boolean>(model: Model<'User', Owned>): RecordTarget<'User', ByOwner<Owned>> => ({
  kind: 'record',
  model: model as never,
  key: undefined,
});

/**
 * The rows of a model, or those `of` a row, whose owner decides.
 * @example
 * listBooksOfUser: route({ target: list(Book, { of: record(User, 'user_id') }), reply: listed })
 */
export const list = <Name extends ModelName, Owned extends boolean, Of extends RecordTarget | undefined = undefined>(
  model: Model<Name, Owned>,
  { of }: { of?: Of } = {},
): ListTarget<Name, ByOwner<Owned>> & { readonly of: Of } =>
  ({ kind: 'list', model: model as never, ...(of && { of }) }) as never;

/**
 * The rows of a model as a Relay connection (GraphQL Cursor Connections Specification).
 * @example
 * usersConnection: route({ target: connection(User) })
 */
export const connection = <Name extends ModelName, Owned extends boolean>(
  model: Model<Name, Owned>,
): ConnectionTarget<Name, ByOwner<Owned>> => ({ kind: 'list', model: model as never, isConnection: true });

/**
 * A new row.
 * @param options.of the parent row; its owner decides
 * @param options.on a row that must exist, and that the caller must be allowed to read
 * @example
 * addReview: route({ target: create(Review, { on: record(Book, 'bookId') }), handler: … })
 */
export function create<
  Name extends ModelName,
  Owned extends boolean,
  Of extends RecordTarget | undefined = undefined,
  On extends RecordTarget | undefined = undefined,
>(
  model: Model<Name, Owned>,
  { of, on }: { of?: Of; on?: On } = {},
): CreateTarget<Name, Of extends RecordTarget ? 'owner' : Owned extends true ? 'self' : 'nothing'> & {
  readonly of: Of;
  readonly on: On;
} {
  return { kind: 'create', model: model as never, ...(of && { of }), ...(on && { on }) } as never;
}

type RecordOf<T> = T extends {
  readonly kind: 'record';
  readonly model: { readonly name: infer Name extends ModelName };
}
  ? Row<Name>
  : T extends { readonly of: { readonly model: { readonly name: infer Name extends ModelName } } }
    ? Row<Name>
    : T extends { readonly on: { readonly model: { readonly name: infer Name extends ModelName } } }
      ? Row<Name>
      : undefined;

/**
 * The second argument of a handler, after all checks of the contract.
 * @example
 * handler: ({ body }, { db, actor }) => db.book.create({ data: { ...body, ownerId: actor.id } }),
 */
export interface Operation<T = Target, Services = unknown> {
  readonly actor: Actor;
  /** The row of the target: loaded, permitted, and locked by operations that write. */
  readonly record: RecordOf<T>;
  readonly db: Db;
  /** The requested part of the list. */
  readonly page: PageRequest;
  /** The services of the application and of the platform. */
  readonly services: Services;
  /** The address prefix of the version, such as `/api/v1`; empty on GraphQL. */
  readonly prefix: string;
  /** Checks content (422) and rate (429) now, for external effects before the first write, which checks both itself. */
  readonly enforce: () => Promise<void>;
  /** The headers by which other services know the request: `x-request-id`, and `traceparent` if it has one. */
  readonly trace: Readonly<Record<string, string>>;
  /** Identifies work after the commit. A request with an Idempotency-Key is in flight until the work ends. */
  readonly workId: string;
  /** Commits, then runs `work`. The handler returns this promise, whose value `reply` gets. */
  readonly afterCommit: <T>(work: () => Promise<T>) => Promise<T>;
  /** Runs `work` after the commit. The answer does not wait for it. */
  readonly onCommit: (work: () => void) => void;
  /** Aborts when a subscription ends, for sources that wait. A generator notices its end only when it continues. */
  readonly signal: AbortSignal;
}

/**
 * The second argument of `reply`.
 * @example
 * reply: (user, { prefix }) => ({ status: 200, body: representUser(user, prefix) }),
 */
export interface ReplyContext {
  readonly page: PageRequest;
  /** The canonical path of the request, for links to other pages. */
  readonly pathname: string;
  readonly prefix: string;
  readonly query: object;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly cursors: Cursors;
}

/**
 * One operation of REST, or one root field of GraphQL, as `route` returns it.
 * @example
 * const getBook = route({ target: record(Book, 'book_id'), reply: ok });
 */
export interface Route<Request, Result, By extends Decides = Decides> {
  readonly target: Target;
  readonly handler: ((request: Request, operation: never) => unknown) | undefined;
  readonly reply: ((result: never, context: never) => Result) | undefined;
  /** Exists in types only, as `types` does. */
  readonly decides: By;
  readonly types: (request: Request) => Result;
}

type RowsOf<T> =
  T extends RecordTarget<infer Name>
    ? Row<Name>
    : T extends ConnectionTarget<infer Name>
      ? ConnectionPage<Row<Name>>
      : T extends ListTarget<infer Name>
        ? Page<Row<Name>>
        : T extends CreateTarget<infer Name>
          ? Row<Name>
          : never;

type DecidedBy<T> = T extends { readonly decides?: infer By extends Decides } ? By : 'nothing';

type Handler<T, Services, Request, Returned> = (
  request: Request,
  operation: Operation<T, Services>,
) => Returned | PromiseLike<Returned>;

interface RouteFunction<Services> {
  // `const` keeps the literal types of a handler without parameters.
  <T extends Target, Request, Result, const Returned = RowsOf<T>>(parts: {
    target: T;
    handler?: Handler<T, Services, Request, Returned>;
    reply: (result: NoInfer<Returned>, context: ReplyContext) => Result;
  }): Route<Request, Result, DecidedBy<T>>;
  <T extends Target, Request, Result>(parts: {
    target: T;
    handler: Handler<T, Services, Request, Result>;
  }): Route<Request, Result, DecidedBy<T>>;
  <T extends Target, Request>(parts: {
    target: T;
  }): Route<
    Request,
    T extends ConnectionTarget ? RowsOf<T> : T extends ListTarget<infer Name> ? Row<Name>[] : RowsOf<T>,
    DecidedBy<T>
  >;
}

const ROUTE = Symbol('route');

/**
 * Returns `route`, which writes one operation of openapi.yaml or one root field of schema.graphql. The platform decides
 * by the target (401, 403, 404, 410, 412) before the handler. Without a handler a route returns the row, deletes it, or
 * returns the page. The handler of a subscription returns an AsyncIterable of events.
 * @typeParam Services the `services` of handlers
 * @example
 * const route = routeFor<Services>();
 */
export function routeFor<Services>(): RouteFunction<Services> {
  const route = ({ target, handler, reply }: { target: Target; handler?: unknown; reply?: unknown }) =>
    recordSourceLine({ [ROUTE]: true, target, handler, reply }, route);
  return route as never;
}

/** Returns true for operations that answer 501. */
export const isNotWritten = (value: unknown): boolean =>
  value === notWritten || (isRoute(value) && value.handler === (notWritten as unknown));

export const isRoute = (value: unknown): value is Route<never, unknown> =>
  typeof value === 'object' && value !== null && ROUTE in value;
