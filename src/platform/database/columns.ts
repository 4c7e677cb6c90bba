import { Prisma } from './client.js';

interface Field {
  name: string;
  kind: string;
  type: string;
  dbName?: string | null;
}

/** What a Prisma client was generated with, of what is used here. Transactions have it too. */
interface DataModel {
  readonly models: Readonly<
    Record<string, { readonly fields: readonly Field[]; dbName?: string | null; schema?: string | null }>
  >;
  readonly enums: Readonly<Record<string, { readonly values: readonly { name: string; dbName?: string | null }[] }>>;
}

/** Prisma keeps it under this name, and says it nowhere else: its client has no public way from a member to its column. */
const dataModelOf = (db: object): DataModel | undefined =>
  (db as { readonly _runtimeDataModel?: DataModel })._runtimeDataModel;

/** A model as prisma/schema.prisma has it; `mapped`: the enumerations whose values have other names in the database. */
export function modelOf(db: object, model: Prisma.ModelName) {
  const { models, enums } = dataModelOf(db) ?? {};
  const found = models?.[model];
  if (!found) throw new Error(`The Prisma client says nothing of its model ${model}. Its major version must be 7.`);
  const mapped = Object.entries(enums ?? {}).filter(([, { values }]) => values.some(({ dbName }) => dbName));
  return { ...found, mapped: new Set(mapped.map(([name]) => name)) };
}

interface Column {
  readonly member: string;
  readonly column: string;
  /** Prisma's, or the name of an enumeration. */
  readonly type: string;
}

/**
 * The members of a model that have columns, with these.
 * @param db a client of Prisma, or that of a transaction
 */
export const membersOf = (db: object, model: Prisma.ModelName): Column[] =>
  modelOf(db, model)
    .fields.filter(({ kind }) => kind !== 'object')
    .map(({ name, type, dbName }) => ({ member: name, column: `"${dbName ?? name}"`, type }));

/**
 * The columns of a model by the names of its members, for a SELECT in SQL that gives what Prisma's own queries give with the
 * same `omit`: `id, created_at AS "createdAt"`. They follow prisma/schema.prisma, so that a member more is read everywhere.
 * @param db the client, or that of a transaction
 * @throws Error for an enumeration whose values have other names in the database: SQL gives these, and Prisma the others
 */
export function columnsOf(db: object, model: Prisma.ModelName, omit: Readonly<Record<string, true>>): Prisma.Sql {
  const { mapped } = modelOf(db, model);
  const read = membersOf(db, model).filter(({ member }) => !(member in omit));
  const misnamed = read.find(({ type }) => mapped.has(type));
  if (misnamed) {
    const { member, type } = misnamed;
    throw new Error(`${model}.${member} cannot be read by SQL: values of ${type} have other names there (@map).`);
  }
  const columns = read.map(({ member, column }) => (column === `"${member}"` ? column : `${column} AS "${member}"`));
  return Prisma.raw(columns.join(', '));
}
