import type { Actor } from '../calls/access.js';
import { notWritten } from '../calls/errors.js';
import type { Connection, Cursors, Page, PageRequest } from '../calls/pages.js';
import type { Db, Model, ModelName, Row } from './model.js';
import { rememberLine } from './source-lines.js';

/**
 * The part of an access decision that a target makes: by the owner of a stored row, by the caller itself, or none.
 * @example
 * type Read = Route<GetBookRequest, GetBookReply, 'owner'>; // its target must name a row with an owner
 */
export type Decides = 'owner' | 'self' | 'nothing';
type ByOwner<Owned extends boolean> = Owned extends true ? 'owner' : 'nothing';

/** One stored row, named by a path parameter or an argument. */
export interface RecordTarget<Name extends ModelName = ModelName, By extends Decides = Decides> {
  readonly kind: 'record';
  readonly model: Model<Name>;
  /** The path parameter or argument that holds the id. Undefined: the row is the caller's own account. */
  readonly key: string | undefined;
  /** The row that this one must belong to, where the path names both. */
  readonly of?: RecordTarget | undefined;
  /** True if the operation deletes the row. A row that was deleted before is then 404 instead of 410. */
  readonly removes?: boolean;
  /** True if the transaction begins with the first write instead of the row, for slow work before it. */
  readonly late?: boolean;
  readonly decides?: By;
}

/** All rows of a model, or the rows of another row that the path names. A role that reaches `own` gets its own rows. */
interface ListTarget<Name extends ModelName = ModelName, By extends Decides = Decides> {
  readonly kind: 'list';
  readonly model: Model<Name>;
  readonly of?: RecordTarget | undefined;
  /** True if the rows are shown as a Relay connection. */
  readonly isConnection?: boolean;
  readonly decides?: By;
}

/** A list as a Relay connection, by the arguments `first`, `after`, `last` and `before`. */
interface ConnectionTarget<Name extends ModelName = ModelName, By extends Decides = Decides>
  extends ListTarget<Name, By> {
  readonly isConnection: true;
}

/** A new row of the caller; or `of` a row whose owner decides; or `on` a row that must exist and that the caller may read. */
interface CreateTarget<Name extends ModelName = ModelName, By extends Decides = Decides> {
  readonly kind: 'create';
  readonly model: Model<Name>;
  readonly of?: RecordTarget | undefined;
  readonly on?: RecordTarget | undefined;
  readonly decides?: By;
}

/** The live stream of a model: a subscription to the rows that are added. */
interface StreamTarget<Name extends ModelName = ModelName, By extends Decides = Decides> {
  readonly kind: 'stream';
  readonly model: Model<Name>;
  readonly of?: undefined;
  readonly decides?: By;
}

export type Target = RecordTarget | ListTarget | CreateTarget | StreamTarget;

/**
 * The rows that are added to a model with a `stream`. The argument of the name of `stream.key` chooses the stream, and the
 * argument `since` the id after which it begins.
 * @example
 * bookAdded: route({ target: stream(Book) })
 */
export const stream = <Name extends ModelName>(model: Model<Name>): StreamTarget<Name, 'nothing'> => ({
  kind: 'stream',
  model: model as never,
});

/**
 * The row that a path parameter or an argument names.
 * @param options.of the row of the same path that this one must belong to
 * @param options.late begins the transaction with the first write, for handlers that do slow work before; the row is then decided
 *   again
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
 * @param options.of the row that the new one belongs to; its owner decides
 * @param options.on the row that the new one is about; it must exist, and the caller must be allowed to read it
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

/** The row that a handler receives: the target's own, or the row that the target is `of` or `on`. */
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
 * The second argument of a handler, after the decisions of the contract.
 * @example
 * handler: ({ body }, { db, actor }) => db.book.create({ data: { ...body, ownerId: actor.id } }),
 */
export interface Operation<T = Target, Services = unknown> {
  readonly actor: Actor;
  /** The row that the target names: loaded, permitted, and locked where the operation writes. */
  readonly record: RecordOf<T>;
  /** The Prisma client of the call. */
  readonly db: Db;
  /** The part of the list that the request asks for. */
  readonly page: PageRequest;
  /** The services that the application and the platform provide. They reach the database through `db` only. */
  readonly services: Services;
  /** The address prefix of the served version, such as `/api/v1`; empty on GraphQL. */
  readonly prefix: string;
  /**
   * Checks the content (422) and the rate (429) now. For effects outside of the database that come before the first write;
   * a write checks both by itself.
   */
  readonly enforce: () => Promise<void>;
  /** Identifies work that continues after the commit. Under an Idempotency-Key the request is in flight until the work ends. */
  readonly workId: string;
  /** Commits, then runs `work`. The handler returns the promise: its value is what the reply is made of. */
  readonly afterCommit: <T>(work: () => Promise<T>) => Promise<T>;
  /** Runs `work` after the commit. The answer does not wait for it. */
  readonly onCommit: (work: () => void) => void;
  /**
   * Aborted when a subscription ends: its client has completed it or gone, or may not continue. For sources that wait, because a
   * generator hears of its end (`return`) only when it continues. Never aborted for other operations.
   */
  readonly signal: AbortSignal;
}

/**
 * The second argument of `reply`, besides the handler's result.
 * @example
 * reply: (user, { prefix }) => ({ status: 200, body: representUser(user, prefix) }),
 */
export interface ReplyContext {
  readonly page: PageRequest;
  /** The canonical path of the request, the base of links to neighbouring pages. */
  readonly pathname: string;
  /** The address prefix of the served version, such as `/api/v1`. */
  readonly prefix: string;
  readonly query: object;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly cursors: Cursors;
}

/**
 * One operation of REST, or one root field of GraphQL, as `route` returns it.
 * @example
 * const route = routeFor<Services>();
 * const getBook = route({ target: record(Book, 'book_id'), reply: ok });
 */
export interface Route<Request, Result, By extends Decides = Decides> {
  readonly target: Target;
  readonly handler: ((request: Request, operation: never) => unknown) | undefined;
  readonly reply: ((made: never, context: never) => Result) | undefined;
  /** For the compiler: no route has these members. */
  readonly decides: By;
  readonly types: (request: Request) => Result;
}

type Made<T> =
  T extends RecordTarget<infer Name>
    ? Row<Name>
    : T extends ConnectionTarget<infer Name>
      ? Connection<Row<Name>>
      : T extends ListTarget<infer Name>
        ? Page<Row<Name>>
        : T extends CreateTarget<infer Name>
          ? Row<Name>
          : never;

type DecidedBy<T> = T extends { readonly decides?: infer By extends Decides } ? By : 'nothing';

type Handler<T, Services, Request, Given> = (
  request: Request,
  operation: Operation<T, Services>,
) => Given | PromiseLike<Given>;

interface MakeRoute<Services> {
  // `const`: the type of a handler without parameters is inferred here, also for the overload below, and keeps its literals.
  <T extends Target, Request, Result, const Given = Made<T>>(parts: {
    target: T;
    handler?: Handler<T, Services, Request, Given>;
    reply: (made: NoInfer<Given>, context: ReplyContext) => Result;
  }): Route<Request, Result, DecidedBy<T>>;
  <T extends Target, Request, Result>(parts: {
    target: T;
    handler: Handler<T, Services, Request, Result>;
  }): Route<Request, Result, DecidedBy<T>>;
  <T extends Target, Request>(parts: {
    target: T;
  }): Route<
    Request,
    T extends ConnectionTarget ? Made<T> : T extends ListTarget<infer Name> ? Row<Name>[] : Made<T>,
    DecidedBy<T>
  >;
}

const ROUTE = Symbol('route');

/**
 * Returns the function that writes the routes of an application: one for each operation of openapi.yaml, and for each root field
 * of schema.graphql. The platform decides by the target (401, 403, 404, 410, 412) before it calls the handler. Without a handler
 * a route returns the row, deletes the row, or returns the page. `reply` makes the answer of the result. The handler of a
 * subscription returns an AsyncIterable of its events.
 * @typeParam Services what handlers receive as `services`
 * @example
 * const route = routeFor<Services>();
 */
export function routeFor<Services>(): MakeRoute<Services> {
  const route = ({ target, handler, reply }: { target: Target; handler?: unknown; reply?: unknown }) =>
    rememberLine({ [ROUTE]: true, target, handler, reply }, route);
  return route as never;
}

/** Returns true for what answers 501: the marker, or a route whose handler is the marker. */
export const isNotWritten = (value: unknown): boolean =>
  value === notWritten || (isRoute(value) && value.handler === (notWritten as unknown));

/** Returns true for a route, false for a plain function and for `notWritten`. */
export const isRoute = (value: unknown): value is Route<never, unknown> =>
  typeof value === 'object' && value !== null && ROUTE in value;
