import {
  attributeOf,
  databaseName,
  nativeType,
  type PrismaEnum,
  type PrismaField,
  type PrismaModel,
  type PrismaSource,
} from './prisma-schema.js';

/** A part of the database: a table, a column, an index, a property of a column. */
export interface DatabasePart {
  rule: string;
  /** What a message calls it. */
  name: string;
  value: string;
  line: number;
  /** Its model or enum. */
  element: string;
  /** The part that contains it; changes inside a part that comes or goes are not reported. */
  within: string | undefined;
}

type Parts = Map<string, DatabasePart>;

function addColumn(parts: Parts, field: PrismaField, model: PrismaModel, table: string, models: ReadonlySet<string>) {
  const { type, list, optional, line } = field;
  const base = { line, element: model.name };
  if (models.has(type)) {
    // A relation is no column. The column that refers has its rules for deletion.
    const relation = attributeOf(field, '@relation')?.args ?? '';
    const column = /fields:\s*\[([^\]]*)\]/.exec(relation)?.[1];
    const value = `${type} ${/onDelete:\s*(\w+)/.exec(relation)?.[1] ?? 'no action'}`;
    if (column !== undefined)
      parts.set(`${table}.${column}:relation`, {
        ...base,
        rule: 'relation',
        name: `\`${column}\` of ${table}`,
        value,
        within: table,
      });
    return;
  }
  const column = databaseName(field, '@map');
  const [id, name] = [`${table}.${column}`, `\`${column}\` of ${table}`];
  const native = nativeType(field);
  const fallback = attributeOf(field, '@default');
  const isFilled = optional || list || fallback !== undefined;
  parts.set(id, { ...base, rule: 'column', name, value: isFilled ? '' : 'required', within: table });
  const properties: Record<string, string | undefined> = {
    columnType: `${type}${list ? '[]' : ''}${native === undefined ? '' : ` ${native}`}`,
    nullable: String(optional),
    key: attributeOf(field, '@id') && '',
    unique: attributeOf(field, '@unique') && '',
    columnDefault: fallback && (fallback.args ?? ''),
  };
  for (const [rule, value] of Object.entries(properties))
    if (value !== undefined) parts.set(`${id}:${rule}`, { ...base, rule, name, value, within: id });
}

function addModel(parts: Parts, model: PrismaModel, models: ReadonlySet<string>): void {
  const table = databaseName(model, '@@map');
  const base = { value: '', element: model.name };
  parts.set(table, { ...base, rule: 'table', name: table, line: model.line, within: undefined });
  for (const { name, args, line } of model.attributes) {
    const [, kind] = /^@@(id|unique|index)$/.exec(name) ?? [];
    const columns = `${/\[([^[\]]*)\]/.exec(args ?? '')?.[1]}`.replaceAll(/\s/g, '');
    const rule = kind === 'id' ? 'key' : String(kind);
    if (kind !== undefined)
      parts.set(`${table}:${kind}(${columns})`, {
        ...base,
        rule,
        name: `\`${columns}\` of ${table}`,
        line,
        within: table,
      });
  }
  for (const field of model.fields) addColumn(parts, field, model, table, models);
}

function addEnum(parts: Parts, one: PrismaEnum): void {
  const type = databaseName(one, '@@map');
  const base = { value: '', element: one.name };
  parts.set(type, { ...base, rule: 'enumType', name: `\`${type}\``, line: one.line, within: undefined });
  for (const value of one.values) {
    const label = databaseName(value, '@map');
    parts.set(`${type}.${label}`, {
      ...base,
      rule: 'enumValue',
      name: `\`${label}\` of ${type}`,
      line: value.line,
      within: type,
    });
  }
}

/** Returns the parts of a database by the names that they have in it. */
export function databaseParts({ models, enums }: PrismaSource): Parts {
  const parts: Parts = new Map();
  const names = new Set(models.map(({ name }) => name));
  for (const model of models) addModel(parts, model, names);
  for (const one of enums) addEnum(parts, one);
  return parts;
}
