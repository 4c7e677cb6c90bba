import type { Model, ModelName } from './model.js';

/**
 * How much of an access decision a target makes: by the owner of a stored row, by the caller itself, or nothing.
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
  /** Whether the operation deletes the row. A row that was deleted before is then 404 instead of 410. */
  readonly removes?: boolean;
  /** Whether the transaction begins with the first write instead of with the row: for slow work before it. */
  readonly late?: boolean;
  readonly decides?: By;
}

/** Many rows: those of a row that the path names, or all. A role that reaches `own` gets its own rows. */
export interface ListTarget<Name extends ModelName = ModelName, By extends Decides = Decides> {
  readonly kind: 'list';
  readonly model: Model<Name>;
  readonly of?: RecordTarget | undefined;
  /** Whether the rows are shown as a Relay connection. */
  readonly isConnection?: boolean;
  readonly decides?: By;
}

/** A list as a Relay connection, by the arguments `first`, `after`, `last` and `before`. */
export interface ConnectionTarget<Name extends ModelName = ModelName, By extends Decides = Decides>
  extends ListTarget<Name, By> {
  readonly isConnection: true;
}

/** A new row of the caller; or `of` a row whose owner decides; or `on` a row that must exist and that the caller may read. */
export interface CreateTarget<Name extends ModelName = ModelName, By extends Decides = Decides> {
  readonly kind: 'create';
  readonly model: Model<Name>;
  readonly of?: RecordTarget | undefined;
  readonly on?: RecordTarget | undefined;
  readonly decides?: By;
}

/** The live stream of a model: a subscription to the rows that are added. */
export interface StreamTarget<Name extends ModelName = ModelName, By extends Decides = Decides> {
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
