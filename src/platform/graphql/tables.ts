import type { ActionOf, Policy } from '../calls/access.js';
import type { OffsetPage } from '../calls/pages.js';
import type { Prisma } from '../database/client.js';

type Scalars<Model extends Prisma.ModelName> = Prisma.TypeMap['model'][Model]['payload']['scalars'];
/** The members of a model that are values; lists of them are none. */
type Member<Model extends Prisma.ModelName> = {
  [Name in keyof Scalars<Model> & string]: Scalars<Model>[Name] extends readonly unknown[] ? never : Name;
}[keyof Scalars<Model> & string];

/** The row whose `id` a member of this one holds, or none. */
interface One<Model extends Prisma.ModelName, Rules extends Policy> {
  readonly one: Prisma.ModelName;
  readonly by: Member<Model>;
  /** Who may do this to whatever belongs to anyone has the row read along. */
  readonly action: ActionOf<Rules>;
}

/** The rows, by ascending `id`, of which a member holds the `id` of this one. */
type Many<Rules extends Policy> = {
  [Model in Prisma.ModelName]: {
    readonly many: Model;
    readonly by: Member<Model>;
    /** See `One`. */
    readonly action: ActionOf<Rules>;
    /** What the arguments of the field ask for; all rows where it has none. */
    readonly page?: (args: object) => OffsetPage;
  };
}[Prisma.ModelName];

/** What the field's own resolver reads of the row: members, or other rows. */
type Reads<Model extends Prisma.ModelName, Rules extends Policy> =
  | Member<Model>
  | readonly Member<Model>[]
  | One<Model, Rules>
  | Many<Rules>;

/**
 * Where the types of the schema stand in the database.
 * @typeParam Fields the fields of each type
 */
export type Tables<Fields extends object = Record<string, object>, Rules extends Policy = Policy> = {
  readonly [Type in keyof Fields]?: {
    [Model in Prisma.ModelName]: {
      readonly model: Model;
      /** A field without a resolver reads the member of its name, and need not be said. */
      readonly fields: { readonly [Field in keyof Fields[Type]]?: Reads<Model, Rules> };
    };
  }[Prisma.ModelName];
};

/**
 * Says where the types of the schema stand in the database, typed: by it, what a query selects below rows is read with them by one
 * statement (`below`). The resolvers stay: they answer where rows come by other ways, and what is not said here.
 * @typeParam Fields `EveryField` of generated/graphql.ts
 * @typeParam Rules the application's policy
 */
export const defineTables = <Fields extends object, Rules extends Policy>(tables: Tables<Fields, Rules>): Tables =>
  tables as Tables;
