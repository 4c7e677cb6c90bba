import { attributeOf, databaseName, nativeType, type PrismaSource } from './prisma-schema.js';

export interface DatabasePart {
  rule: string;
  name: string;
  value: string;
  line: number;
  element: string;
  /** The part that contains it. If that part comes or goes, its inner changes are not reported. */
  within: string | undefined;
}

/** Returns the parts of a database by their names in it. */
export function databaseParts({ models, enums }: PrismaSource): Map<string, DatabasePart> {
  const parts = new Map<string, DatabasePart>();
  const isModel = (type: string) => models.some(({ name }) => name === type);

  for (const model of models) {
    const table = databaseName(model, '@@map');
    const add = (id: string, part: Pick<DatabasePart, 'rule' | 'name' | 'line'> & Partial<DatabasePart>) =>
      parts.set(id, { value: '', within: table, element: model.name, ...part });
    add(table, { rule: 'table', name: table, line: model.line, within: undefined });
    for (const { name, args, line } of model.attributes) {
      const [, kind] = /^@@(id|unique|index)$/.exec(name) ?? [];
      if (kind === undefined) continue;
      const columns = `${/\[([^[\]]*)\]/.exec(args ?? '')?.[1]}`.replaceAll(/\s/g, '');
      add(`${table}:${kind}(${columns})`, {
        rule: kind === 'id' ? 'key' : kind,
        name: `\`${columns}\` of ${table}`,
        line,
      });
    }
    for (const field of model.fields) {
      const { type, list, optional, line } = field;
      if (isModel(type)) {
        // A relation is no column. Its referring column has the rule for deletion.
        const relation = attributeOf(field, '@relation')?.args ?? '';
        const column = /fields:\s*\[([^\]]*)\]/.exec(relation)?.[1];
        const value = `${type} ${/onDelete:\s*(\w+)/.exec(relation)?.[1] ?? 'no action'}`;
        const name = `\`${column}\` of ${table}`;
        if (column !== undefined) add(`${table}.${column}:relation`, { rule: 'relation', name, line, value });
        continue;
      }
      const column = databaseName(field, '@map');
      const [id, name] = [`${table}.${column}`, `\`${column}\` of ${table}`];
      const native = nativeType(field);
      const fallback = attributeOf(field, '@default');
      const isFilled = optional || list || fallback !== undefined;
      add(id, { rule: 'column', name, line, value: isFilled ? '' : 'required' });
      const properties: Record<string, string | undefined> = {
        columnType: `${type}${list ? '[]' : ''}${native === undefined ? '' : ` ${native}`}`,
        nullable: String(optional),
        key: attributeOf(field, '@id') && '',
        unique: attributeOf(field, '@unique') && '',
        columnDefault: fallback && (fallback.args ?? ''),
      };
      for (const [rule, value] of Object.entries(properties))
        if (value !== undefined) add(`${id}:${rule}`, { rule, name, line, value, within: id });
    }
  }
  for (const one of enums) {
    const type = databaseName(one, '@@map');
    const base = { value: '', element: one.name };
    parts.set(type, { ...base, rule: 'enumType', name: `\`${type}\``, line: one.line, within: undefined });
    for (const value of one.values) {
      const label = databaseName(value, '@map');
      const name = `\`${label}\` of ${type}`;
      parts.set(`${type}.${label}`, { ...base, rule: 'enumValue', name, line: value.line, within: type });
    }
  }
  return parts;
}
