/** The models of a Prisma schema, as `generator.js` writes them. */
export interface DataModel {
  readonly models: Readonly<Record<string, Model>>;
}

export interface Model {
  readonly name: string;
  readonly table: string;
  readonly fields: Readonly<Record<string, Field>>;
}

export interface Field {
  readonly name: string;
  /** The name of the column. A relation repeats its own name. */
  readonly column: string;
  readonly kind: 'scalar' | 'enum' | 'object';
  /** A scalar type of Prisma, an enum, or a model. */
  readonly type: string;
  readonly isList: boolean;
  readonly isId: boolean;
  /** True for `@default(autoincrement())`. */
  readonly isAutoincrement?: boolean;
  /** True for `@db.Uuid`. */
  readonly isUuid?: boolean;
  /** The enum values of Prisma, by their names in the database. */
  readonly values?: Readonly<Record<string, string>>;
  readonly relation?: Relation;
}

export interface Relation {
  readonly model: string;
  /** The fields with the foreign key, if this side has it. */
  readonly fields: readonly string[];
  /** The fields of the other model that the key refers to. */
  readonly references?: readonly string[];
  /** Undefined without a foreign key, and for Prisma's default. */
  readonly onDelete?: string | undefined;
}
