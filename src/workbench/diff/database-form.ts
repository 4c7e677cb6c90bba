import { emptyForm, type Form } from './form.js';
import type { Locate } from './judged.js';
import { down, note, rootSpot, type Spot } from './spot.js';

const BLOCK = /^\s*(model|enum|view|type)\s+(\w+)\s*\{/;
const FIELD = /^\s*(\w+)\s+(\w+)(\[\])?(\?)?(\s.*)?$/;

interface Line {
  text: string;
  /** From 1. */
  line: number;
}

interface Block {
  kind: string;
  name: string;
  line: number;
  lines: Line[];
}

/** Without a comment; `//` within a string is none. */
const withoutComment = (text: string) => text.replace(/^((?:[^"/]|"(?:\\.|[^"\\])*"|\/(?!\/))*)\/\/.*$/, '$1');

/** The blocks of a Prisma schema. Takes one that Prisma finds valid: Prisma asks for a line for each field. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = withoutComment(raw);
    const [, kind = '', name = ''] = BLOCK.exec(line) ?? [];
    if (name !== '') {
      open = { kind, name, line: index + 1, lines: [] };
      blocks.push(open);
    } else if (/^\s*\}/.test(line)) open = undefined;
    else if (line.trim() !== '') open?.lines.push({ text: line, line: index + 1 });
  }
  return blocks;
}

/** What stands in the parentheses of an attribute, however deep they go; undefined without it, empty without any. */
function attribute(text: string, name: string): string | undefined {
  const start = text.search(new RegExp(`${name}(?![\\w.])`));
  if (start < 0) return undefined;
  const from = start + name.length;
  if (text[from] !== '(') return '';
  let depth = 0;
  for (let end = from; end < text.length; end += 1) {
    if (text[end] === '(') depth += 1;
    if (text[end] === ')') depth -= 1;
    if (depth === 0) return text.slice(from + 1, end).replaceAll(/\s+/g, ' ');
  }
  return text.slice(from + 1);
}

/** The name in the database: `@map("role")`, `@@map(name: "role")`. */
const mapped = (text: string, name: string): string | undefined => /"([^"]+)"/.exec(attribute(text, name) ?? '')?.[1];

function enterColumn({ text, line }: Line, models: ReadonlySet<string>, table: Spot): void {
  const [, name = '', type = '', list, optional, rest = ''] = FIELD.exec(text) ?? [];
  if (name === '') return;
  if (models.has(type)) {
    // A relation is no column; what it does on delete stands with the column that refers.
    const relation = attribute(rest, '@relation');
    const column = /fields:\s*\[([^\]]*)\]/.exec(relation ?? '')?.[1];
    if (relation === undefined || column === undefined) return;
    const at = down(table, { key: ['relations', column], id: `.${column}:relation`, name: column });
    note({ ...at, source: [line] }, 'relation', `${type} ${/onDelete:\s*(\w+)/.exec(relation)?.[1] ?? 'no action'}`);
    return;
  }
  const column = mapped(rest, '@map') ?? name;
  const spot = { ...down(table, { key: ['columns', column], id: `.${column}`, name: column }), source: [line] };
  note(spot, 'column');
  const native = /@db\.(\w+(?:\([^)]*\))?)/.exec(rest)?.[1];
  const leaf = (rule: string, value: string | boolean) => note(down(spot, { key: rule, id: `:${rule}` }), rule, value);
  leaf('columnType', `${type}${list ?? ''}${native === undefined ? '' : ` ${native}`}`);
  leaf('nullable', optional !== undefined);
  if (attribute(rest, '@id') !== undefined) leaf('key', true);
  if (attribute(rest, '@unique') !== undefined) leaf('unique', true);
  const fallback = attribute(rest, '@default');
  if (fallback !== undefined) leaf('columnDefault', fallback);
}

function enterModel({ name, line, lines }: Block, models: ReadonlySet<string>, root: Spot): void {
  const own = lines.filter(({ text }) => text.trim().startsWith('@@'));
  const table = own.map(({ text }) => mapped(text, '@@map')).find((found) => found !== undefined) ?? name;
  const spot: Spot = {
    ...down(root, { key: ['tables', table], id: table }),
    source: [line],
    where: table,
    element: name,
  };
  note(spot, 'table');
  for (const { text, line: at } of own) {
    const [, kind = ''] = /@@(id|unique|index)\b/.exec(text) ?? [];
    if (kind === '') continue;
    const columns = `${/\[([^[\]]*)\]/.exec(text)?.[1]}`.replaceAll(/\s/g, '');
    const index = down(spot, { key: [kind, columns], id: `:${kind}(${columns})`, name: columns });
    note({ ...index, source: [at] }, kind === 'id' ? 'key' : kind, true);
  }
  for (const each of lines) if (!own.includes(each)) enterColumn(each, models, spot);
}

function enterEnum({ name, line, lines }: Block, root: Spot): void {
  const type = lines.map(({ text }) => mapped(text, '@@map')).find((found) => found !== undefined) ?? name;
  const spot: Spot = { ...down(root, { key: ['enums', type], id: type }), source: [line], where: type, element: name };
  note({ ...spot, name: type, where: '' }, 'enumType');
  for (const { text, line: at } of lines) {
    const value = /^\s*(\w+)/.exec(text)?.[1];
    if (value === undefined) continue;
    const label = mapped(text, '@map') ?? value;
    note({ ...down(spot, { key: ['values', label], id: `.${label}`, name: label }), source: [at] }, 'enumValue', true);
  }
}

/** The normal form of a Prisma schema, by the names in the database: a model that only changes its own is the same table. */
export function databaseForm(text: string): Form {
  const form = emptyForm();
  const blocks = blocksOf(text);
  const models = new Set(blocks.filter(({ kind }) => kind !== 'enum').map(({ name }) => name));
  const root = rootSpot(form);
  for (const block of blocks) {
    if (block.kind === 'enum') enterEnum(block, root);
    else enterModel(block, models, root);
  }
  return form;
}

export const databaseLocate: Locate = ([line]) => ({ line: Number(line ?? 1), column: 1 });
