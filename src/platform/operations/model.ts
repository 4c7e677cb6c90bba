import type { Call } from '../calls/access.js';
import type { Prisma, PrismaClient } from '../database/client.js';
import { rememberLine } from './source-lines.js';

/** Members of an account that no operation reads: the password hash and the derived form of the e-mail address. */
export type HiddenMembers = { user: { emailKey: true; passwordHash: true } };

/** The Prisma client without the hidden members. */
type VisibleClient = PrismaClient<never, HiddenMembers>;
type Models = Prisma.TypeMap['model'];
export type ModelName = Prisma.ModelName;
type Operations<Name extends ModelName> = Models[Name]['operations'];

/**
 * A row as Prisma reads it, without hidden members.
 * @example
 * export type Book = Row<'Book'>;
 */
export type Row<Name extends ModelName> = Omit<
  Models[Name]['payload']['scalars'],
  Uncapitalize<Name> extends keyof HiddenMembers ? keyof HiddenMembers[Uncapitalize<Name>] : never
>;
/** Prisma's own `where`. */
export type Where<Name extends ModelName> = NonNullable<Operations<Name>['findMany']['args']['where']>;
type UpdateData<Name extends ModelName> = Partial<
  Exclude<Operations<Name>['createMany']['args']['data'], readonly unknown[]>
>;

/** The calls of Prisma that only read. */
export const READ_CALLS = [
  'findUnique',
  'findUniqueOrThrow',
  'findFirst',
  'findFirstOrThrow',
  'findMany',
  'count',
  'aggregate',
] as const;
export type ReadCall = (typeof READ_CALLS)[number];

/** The calls of Prisma that an operation may make. Others would bypass the owner, the tombstones or the announcements. */
export type AllowedCall = ReadCall | 'create' | 'createMany' | 'update' | 'updateMany' | 'delete' | 'deleteMany';

/**
 * The Prisma client of one call: the only way to the database for handlers, resolvers and services.
 *
 * - Every call runs in the transaction of the operation, which commits before the answer is sent.
 * - Reads return the rows that the caller may read. Writes are refused (FORBIDDEN) for rows that the caller may not write.
 * - The first write checks the content (422) and the rate (429).
 * - Writes count versions, leave tombstones, and announce entries of streams.
 *
 * @example
 * const cancel = (db: Db, { id }: Order) => db.order.update({ where: { id }, data: { status: 'CANCELLED' } });
 */
export type Db = {
  readonly [Name in ModelName as Uncapitalize<Name>]: Pick<
    VisibleClient[Uncapitalize<Name>],
    AllowedCall & keyof VisibleClient[Uncapitalize<Name>]
  >;
};

/**
 * The fields of a GraphQL type that need no resolver because the type has the name of a model, and its values are rows: relations
 * of the model, and times, which are shown in ISO 8601.
 * @example
 * type Optional = ReadByPlatform<'Post', Post>; // 'author' | 'comments' | 'createdAt'
 */
export type ReadByPlatform<Type, Parent> = Type extends ModelName
  ? Parent extends Row<Type>
    ?
        | keyof Models[Type]['payload']['objects']
        | { [Member in keyof Parent]: NonNullable<Parent[Member]> extends Date ? Member : never }[keyof Parent]
    : never
  : never;

/** The account that calls, as far as ownership can depend on it. */
export interface Caller {
  readonly id: number;
  readonly role: string;
}

/** The transaction of a call, for the platform's own hooks and services. */
export type Tx = Prisma.TransactionClient;

/** Rules of a model that run inside the transaction of each write. Only the platform's own models have them. */
export interface ModelHooks {
  /** Returns the data with derived members added. */
  readonly derive?: (data: Record<string, unknown>) => Record<string, unknown>;
  /** Throws a Failure (CONFLICT) before content and rate are checked. */
  readonly beforeUpdate?: (tx: Tx, before: AnyRow, data: Readonly<Record<string, unknown>>) => Promise<void>;
  readonly beforeDelete?: (tx: Tx, before: AnyRow) => Promise<void>;
  readonly beforeCreate?: (tx: Tx, data: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Sends one statement at once. Its result is not awaited before the commit. */
  readonly afterCreate?: (tx: Tx, call: Call, created: AnyRow) => Promise<void>;
  readonly afterUpdate?: (tx: Tx, call: Call, before: AnyRow, after: AnyRow) => Promise<void>;
  readonly afterDelete?: (tx: Tx, call: Call, before: AnyRow) => Promise<void>;
  /** Returns the message to the caller for a violated unique index. */
  readonly conflict?: (index: string) => string | undefined;
}

/** A stored row of any model. */
export type AnyRow = { readonly id: number } & Readonly<Record<string, unknown>>;

/** A live stream of the rows that are added to a model. */
export interface ModelStream<Name extends ModelName> {
  /** The member that names the stream of an entry, such as `channelId`; without it all rows are one stream. */
  readonly key?: keyof Row<Name> & string;
  /** Related rows that subscribers receive with an entry: Prisma's `include`, of relations to one row. */
  readonly include?: Readonly<Record<string, true>>;
  /**
   * Executes each entry for each subscriber. Needed where a resolver looks at the caller's id; by default all subscribers of one
   * role who select the same share one execution. Rows that an owner filters never are shared.
   */
  readonly perCaller?: boolean;
}

export interface ModelOptions<Name extends ModelName> {
  /** The rows that belong to the caller: a `where` of Prisma over columns, relations or memberships. */
  readonly owner?: (caller: Caller) => Where<Name>;
  /** The action that reading a row takes, wherever the row is reached from. */
  readonly read: string;
  /** The word for a row in messages to callers; the model's name in lower case by default. */
  readonly noun?: string;
  /** Members whose change takes a further action (`x-permission-also`): `{ role: 'users.set-role' }`. */
  readonly protect?: { readonly [Member in keyof UpdateData<Name>]?: string };
  /** Answers 404 instead of 403 for the row of another caller. */
  readonly conceal?: boolean;
  readonly stream?: ModelStream<Name>;
}

/** A model of schema.prisma with the rules that hold for each of its rows. */
export interface Model<Name extends ModelName = ModelName, Owned extends boolean = boolean> {
  readonly name: Name;
  readonly noun: string;
  readonly read: string;
  readonly owner?: (caller: Caller) => object;
  readonly protect?: Readonly<Record<string, string>>;
  readonly conceal?: boolean;
  readonly stream?: Readonly<{ key?: string; include?: Readonly<Record<string, true>>; perCaller?: boolean }>;
  /** True if the model has an owner. The compiler requires one where a policy reaches `own`. */
  readonly owned: Owned;
}

/**
 * Declares what holds for every row of a model, wherever the row is read or written.
 *
 * @example
 * const Book = model('Book', { read: 'books.read', owner: (caller) => ({ ownerId: caller.id }) });
 */
export function model<const Name extends ModelName, Options extends ModelOptions<Name>>(
  name: Name,
  options: Options & ModelOptions<Name>,
): Model<Name, Options extends { owner: unknown } ? true : false> {
  const owned = (options.owner !== undefined) as Options extends { owner: unknown } ? true : false;
  return rememberLine({ noun: name.toLowerCase(), ...options, name, owned }, model) as never;
}
