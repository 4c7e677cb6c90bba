/** The models of a Prisma schema, as `generator.js` writes them into `data-model.ts` beside the generated client. */
export interface DataModel {
  readonly models: Readonly<Record<string, Model>>;
}

export interface Model {
  readonly name: string;
  /** The table in the database. */
  readonly table: string;
  readonly fields: Readonly<Record<string, Field>>;
}

export interface Field {
  readonly name: string;
  /** The column in the database. A relation has none, and repeats its name. */
  readonly column: string;
  readonly kind: 'scalar' | 'enum' | 'object';
  /** A scalar type of Prisma, an enum, or a model. */
  readonly type: string;
  readonly isList: boolean;
  readonly isId: boolean;
  /** Names of an enum's values in Prisma, by their names in the database. */
  readonly values?: Readonly<Record<string, string>>;
  readonly relation?: Relation;
}

export interface Relation {
  readonly model: string;
  /** Fields of this model that hold the reference. Empty on the side without a foreign key. */
  readonly fields: readonly string[];
  /** Undefined on the side without a foreign key, and where the schema leaves it to Prisma's default. */
  readonly onDelete?: string | undefined;
}
