import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql';
import type { OffsetPage } from '../calls/pages.js';
import type { Prisma, PrismaClient } from '../database/client.js';
import { type JsonTable, jsonTableOf } from '../database/json-rows.js';
import type { Tables } from './tables.js';

/** A field behind which other rows stand. */
export interface Relation {
  isMany: boolean;
  /** Of the rows where there are many, else of the one that they stand below. */
  by: string;
  action: string;
  page: ((args: object) => OffsetPage) | undefined;
}

/** A type whose rows can be read along with others. */
export interface RowType {
  table: JsonTable;
  /** By field, the members that it is made of. A field that is in neither map is its resolver's matter. */
  members: ReadonlyMap<string, readonly string[]>;
  relations: ReadonlyMap<string, Relation>;
}

/** By the names of the types. */
export type RowTypes = ReadonlyMap<string, RowType>;

type StatedRelation = { action: string; by: string; page?: Relation['page'] } & (
  | { many: string; one?: never }
  | { one: string; many?: never }
);
type Stated = string | readonly string[] | StatedRelation;

/** `Tables`, without what only the compiler looks at. */
type StatedTables = Readonly<Record<string, { model: Prisma.ModelName; fields: Readonly<Record<string, Stated>> }>>;

type Field = GraphQLField<unknown, unknown>;

/**
 * What an application has said of its tables, held against the schema and the models.
 * @throws Error that lists all that is not so
 */
export function rowTypes(schema: GraphQLSchema, tables: Tables, client: PrismaClient): RowTypes {
  const stated = tables as StatedTables;
  const types = new Map<string, RowType>();
  for (const [name, { model, fields }] of Object.entries(stated)) {
    const type = schema.getType(name);
    if (isObjectType(type)) types.set(name, rowType(type, jsonTableOf(client, model), fields));
  }
  const problems = Object.entries(stated).flatMap(([name, { fields }]) => {
    const [type, own] = [schema.getType(name), types.get(name)];
    if (!isObjectType(type) || !own) return [`${name} is no type of objects`];
    return Object.entries(fields).flatMap(([field, reads]) =>
      problemsOf(type.getFields()[field], reads, own, { types, stated }).map((one) => `${name}.${field} ${one}`),
    );
  });
  if (problems.length === 0) return types;
  throw new Error(`The tables of the schema are not as they are said to be:\n  ${problems.join('\n  ')}`);
}

const isList = ({ type }: Field) => isListType(getNullableType(type));

const isRelation = (reads: Stated): reads is StatedRelation => typeof reads === 'object' && 'by' in reads;

function rowType(type: GraphQLObjectType, table: JsonTable, fields: Readonly<Record<string, Stated>>): RowType {
  const members = new Map<string, readonly string[]>();
  const relations = new Map<string, Relation>();
  for (const field of Object.values(type.getFields())) {
    const { name } = field;
    const reads = fields[name];
    if (reads === undefined) {
      if (!field.resolve && !isList(field) && table.members.has(name)) members.set(name, [name]);
    } else if (isRelation(reads)) {
      relations.set(name, { isMany: reads.many !== undefined, by: reads.by, action: reads.action, page: reads.page });
    } else members.set(name, [reads].flat());
  }
  return { table, members, relations };
}

function problemsOf(
  field: Field | undefined,
  reads: Stated,
  own: RowType,
  { types, stated }: { types: RowTypes; stated: StatedTables },
): string[] {
  if (!field) return ['is no field of the schema'];
  const absent = (names: readonly string[], { table: { members } }: RowType) =>
    names.filter((name) => !members.has(name)).map((name) => `reads ${name}, which its model does not have`);
  if (!isRelation(reads)) return absent([reads].flat(), own);
  const { name } = getNamedType(field.type);
  const target = types.get(name);
  if (!target) return [`leads to ${name}, whose table is not said`];
  const isMany = reads.many !== undefined;
  const model = reads.many ?? reads.one;
  return [
    ...(stated[name]?.model === model ? [] : [`leads to ${name}, which is no ${model}`]),
    ...(isList(field) === isMany ? [] : ['is a list where it leads to one row, or the reverse']),
    ...(field.resolve ? [] : ['has no resolver, which would read the rows where they are not read along']),
    ...(field.args.length > 0 === (reads.page !== undefined) ? [] : ['has arguments and no `page`, or the reverse']),
    ...absent([reads.by], isMany ? target : own),
    ...absent(['id'], isMany ? own : target),
  ];
}
