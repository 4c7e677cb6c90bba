import {
  attributeOf,
  databaseName,
  nativeType,
  type PrismaEnum,
  type PrismaField,
  type PrismaModel,
  type PrismaSource,
} from '../model/prisma-schema.js';
import { FILES } from './change.js';
import { emptyForm, type Form, type Spot } from './form.js';
import type { Locate } from './judged.js';
import { down, note, rootSpot } from './spot.js';

function enterColumn(field: PrismaField, models: ReadonlySet<string>, table: Spot): void {
  const { type, list, optional, line } = field;
  if (models.has(type)) {
    // A relation is no column; what it does on delete stands with the column that refers.
    const relation = attributeOf(field, '@relation')?.args;
    const column = /fields:\s*\[([^\]]*)\]/.exec(relation ?? '')?.[1];
    if (relation === undefined || column === undefined) return;
    const at = down(table, { key: ['relations', column], id: `.${column}:relation`, name: column });
    note({ ...at, source: [line] }, 'relation', `${type} ${/onDelete:\s*(\w+)/.exec(relation)?.[1] ?? 'no action'}`);
    return;
  }
  const column = databaseName(field, '@map');
  const spot = { ...down(table, { key: ['columns', column], id: `.${column}`, name: column }), source: [line] };
  note(spot, 'column');
  const native = nativeType(field);
  const leaf = (rule: string, value: string | boolean) => note(down(spot, { key: rule, id: `:${rule}` }), rule, value);
  leaf('columnType', `${type}${list ? '[]' : ''}${native === undefined ? '' : ` ${native}`}`);
  leaf('nullable', optional);
  if (attributeOf(field, '@id')) leaf('key', true);
  if (attributeOf(field, '@unique')) leaf('unique', true);
  const fallback = attributeOf(field, '@default');
  if (fallback) leaf('columnDefault', fallback.args ?? '');
}

function enterModel(model: PrismaModel, models: ReadonlySet<string>, root: Spot): void {
  const table = databaseName(model, '@@map');
  const spot: Spot = {
    ...down(root, { key: ['tables', table], id: table }),
    source: [model.line],
    where: table,
    element: model.name,
  };
  note(spot, 'table');
  for (const { name, args, line } of model.attributes) {
    const [, kind = ''] = /^@@(id|unique|index)$/.exec(name) ?? [];
    if (kind === '') continue;
    const columns = `${/\[([^[\]]*)\]/.exec(args ?? '')?.[1]}`.replaceAll(/\s/g, '');
    const index = down(spot, { key: [kind, columns], id: `:${kind}(${columns})`, name: columns });
    note({ ...index, source: [line] }, kind === 'id' ? 'key' : kind, true);
  }
  for (const field of model.fields) enterColumn(field, models, spot);
}

function enterEnum(one: PrismaEnum, root: Spot): void {
  const type = databaseName(one, '@@map');
  const spot: Spot = {
    ...down(root, { key: ['enums', type], id: type }),
    source: [one.line],
    where: type,
    element: one.name,
  };
  note({ ...spot, name: type, where: '' }, 'enumType');
  for (const value of one.values) {
    const label = databaseName(value, '@map');
    const at = down(spot, { key: ['values', label], id: `.${label}`, name: label });
    note({ ...at, source: [value.line] }, 'enumValue', true);
  }
}

/** The normal form of a Prisma schema, by the names in the database: a model that only changes its own is the same table. */
export function databaseForm({ models, enums }: PrismaSource): Form {
  const form = emptyForm();
  const names = new Set(models.map(({ name }) => name));
  const root = rootSpot(form);
  for (const model of models) enterModel(model, names, root);
  for (const one of enums) enterEnum(one, root);
  return form;
}

export const databaseLocate = ({ text }: PrismaSource): Locate => {
  const rows = text.split('\n');
  return ([number]) => {
    const line = Number(number ?? 1);
    // A block ends with the first brace that begins a line.
    const end = rows[line - 1]?.trimEnd().endsWith('{')
      ? rows.findIndex((row, at) => at >= line && /^\s*\}/.test(row))
      : -1;
    const lines = { file: FILES.database, first: line, last: end < 0 ? line : end + 1 };
    return { file: FILES.database, line, column: 1, lines };
  };
};
