import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Prisma, PrismaClient } from '../../database/client.js';
import { rootPath } from '../../root.js';
import type { Call } from '../calls/access.js';

/** Members of an account that no operation reads. */
export type HiddenMembers = { user: { emailKey: true; passwordHash: true } };
export const HIDDEN_ACCOUNT_MEMBERS: HiddenMembers['user'] = { emailKey: true, passwordHash: true };

type VisibleClient = PrismaClient<never, HiddenMembers>;
type Models = Prisma.TypeMap['model'];
export type ModelName = Prisma.ModelName;
type Operations<Name extends ModelName> = Models[Name]['operations'];

/**
 * A row of a model, without hidden members.
 * @example
 * export type Book = Row<'Book'>;
 */
export type Row<Name extends ModelName> = Omit<
  Models[Name]['payload']['scalars'],
  Uncapitalize<Name> extends keyof HiddenMembers ? keyof HiddenMembers[Uncapitalize<Name>] : never
>;
export type Where<Name extends ModelName> = NonNullable<Operations<Name>['findMany']['args']['where']>;
type UpdateData<Name extends ModelName> = Partial<
  Exclude<Operations<Name>['createMany']['args']['data'], readonly unknown[]>
>;

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

/** The calls of Prisma in operations. Others would bypass owners, tombstones or announcements. */
export type AllowedCall = ReadCall | WriteCall;
export type WriteCall = 'create' | 'createMany' | 'update' | 'updateMany' | 'delete' | 'deleteMany';

/**
 * The Prisma client of one call: the only access to the database for handlers, resolvers and services. All calls run in
 * the transaction of the operation, which commits before the answer. Reads return permitted rows only. Writes throw
 * FORBIDDEN for other rows, check content (422) and rate (429) once, count versions, create tombstones and announce
 * entries.
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
 * The fields of a GraphQL type with the name of a model that need no resolver: relations, and times in ISO 8601.
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

/** The members of the caller that ownership may depend on. */
export interface Caller {
  readonly id: number;
  readonly role: string;
}

export type Tx = Prisma.TransactionClient;

/** Runs inside the transaction of each write. Only the platform's own models have hooks. */
export interface ModelHooks {
  /** Returns the data with derived members added. */
  readonly derive?: (data: Record<string, unknown>) => Record<string, unknown>;
  /** Throws a Failure (CONFLICT) before content and rate are checked. */
  readonly beforeUpdate?: (tx: Tx, before: AnyRow, data: Readonly<Record<string, unknown>>) => Promise<void>;
  readonly beforeDelete?: (tx: Tx, before: AnyRow) => Promise<void>;
  readonly beforeCreate?: (tx: Tx, data: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Sends one statement before its first `await`. COMMIT follows it, and fails if the statement failed. */
  readonly afterCreate?: (tx: Tx, call: Call, created: AnyRow) => Promise<void>;
  readonly afterUpdate?: (tx: Tx, call: Call, before: AnyRow, after: AnyRow) => Promise<void>;
  readonly afterDelete?: (tx: Tx, call: Call, before: AnyRow) => Promise<void>;
  /** Returns the message for a violated unique index. */
  readonly conflict?: (index: string) => string | undefined;
}

export type AnyRow = { readonly id: number } & Readonly<Record<string, unknown>>;

/** A live stream of the rows that are added to a model. */
export interface StreamOptions<Name extends ModelName> {
  /** The member that selects the stream, such as `channelId`. Without it all rows are one stream. */
  readonly key?: keyof Row<Name> & string;
  /** Related rows that subscribers receive with an entry. */
  readonly include?: Readonly<Record<string, true>>;
}

interface ModelOptions<Name extends ModelName> {
  /** Returns the filter of the rows that belong to the caller. */
  readonly owner?: (caller: Caller) => Where<Name>;
  /** The action that reading a row requires, in all operations. */
  readonly read: string;
  /** The word for a row in messages to callers; by default the model's name in lower case. */
  readonly noun?: string;
  /** Members that need a further action (`x-permission-also`): `{ role: 'users.set-role' }`. */
  readonly protect?: { readonly [Member in keyof UpdateData<Name>]?: string };
  /** Answers 404 instead of 403 for the row of another caller. */
  readonly conceal?: boolean;
  readonly stream?: StreamOptions<Name>;
}

/** A model of schema.prisma with the access rules of its rows. */
export interface Model<Name extends ModelName = ModelName, Owned extends boolean = boolean> {
  readonly name: Name;
  readonly noun: string;
  readonly read: string;
  readonly owner?: (caller: Caller) => object;
  readonly protect?: Readonly<Record<string, string>>;
  readonly conceal?: boolean;
  readonly stream?: Readonly<{ key?: string; include?: Readonly<Record<string, true>> }>;
  /** True if the model has an owner. The compiler requires one if the policy reaches `own`. */
  readonly owned: Owned;
}

/**
 * Declares the access rules of a model, for all its reads and writes.
 * @example
 * const Book = model('Book', { read: 'books.read', owner: (caller) => ({ ownerId: caller.id }) });
 */
export function model<const Name extends ModelName, Options extends ModelOptions<Name>>(
  name: Name,
  options: Options & ModelOptions<Name>,
): Model<Name, Options extends { owner: unknown } ? true : false> {
  const owned = (options.owner !== undefined) as Options extends { owner: unknown } ? true : false;
  return recordSourceLine({ noun: name.toLowerCase(), ...options, name, owned }, model) as never;
}

const stacks = new WeakMap<object, { stack?: string }>();

/** Stores the line of the application that calls `declare`, for messages at start. */
export function recordSourceLine<T extends object>(declaration: T, declare: (...given: never[]) => unknown): T {
  const captured = {};
  Error.captureStackTrace(captured, declare);
  stacks.set(declaration, captured);
  return declaration;
}

/** Returns `src/application/models.ts:8:21: ` for a declaration of `recordSourceLine`, or an empty text. */
export function sourceLineOf(declaration: object): string {
  const [, frame = ''] = stacks.get(declaration)?.stack?.split('\n') ?? [];
  const [, at, line, column] = /(?:\(|at )([^()]+):(\d+):(\d+)\)?$/.exec(frame) ?? [];
  if (at === undefined) return '';
  const position = originalPosition(at.startsWith('file:') ? fileURLToPath(at) : at, Number(line), Number(column));
  return `${relative(rootPath(), position.file)}:${position.line}:${position.column}: `;
}

/** Translates a line of a bundle by its source map. */
function originalPosition(file: string, line: number, column: number) {
  const mapFile = `${file}.map`;
  if (!existsSync(mapFile)) return { file, line, column };
  const found = new SourceMap(JSON.parse(readFileSync(mapFile, 'utf8'))).findEntry(line - 1, column - 1);
  if (!('originalSource' in found)) return { file, line, column };
  const source = resolve(dirname(file), found.originalSource);
  return { file: source, line: found.originalLine + 1, column: found.originalColumn + 1 };
}
