import { attributeOf, databaseName, nativeType, type PrismaSource } from '../model/prisma-schema.js';
import { CHANGED_FILES, type Change, type Verdict, whatOf } from './change.js';

interface DatabasePart {
  rule: string;
  name: string;
  value: string;
  line: number;
  element: string;
  /** The part that contains it. If that part comes or goes, its inner changes are not reported. */
  within: string | undefined;
}

/** Returns the parts of a database by their names in it. */
function databaseParts({ models, enums }: PrismaSource): Map<string, DatabasePart> {
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
  for (const enumeration of enums) {
    const type = databaseName(enumeration, '@@map');
    const base = { value: '', element: enumeration.name };
    parts.set(type, { ...base, rule: 'enumType', name: `\`${type}\``, line: enumeration.line, within: undefined });
    for (const value of enumeration.values) {
      const label = databaseName(value, '@map');
      const name = `\`${label}\` of ${type}`;
      parts.set(`${type}.${label}`, { ...base, rule: 'enumValue', name, line: value.line, within: type });
    }
  }
  return parts;
}

/** The name in messages of each rule, and its verdicts for an addition, a removal and a change. */
const RULES: Record<string, [kind: string, verdicts: [Verdict, Verdict, Verdict]]> = {
  table: ['table', ['safe', 'breaking', 'safe']],
  column: ['column', ['safe', 'breaking', 'safe']],
  columnDefault: ['default of column', ['safe', 'risky', 'risky']],
  key: ['primary key', ['breaking', 'breaking', 'breaking']],
  unique: ['uniqueness of', ['breaking', 'risky', 'safe']],
  index: ['index', ['safe', 'risky', 'safe']],
  relation: ['relation', ['risky', 'risky', 'risky']],
  enumType: ['enum', ['safe', 'breaking', 'safe']],
  enumValue: ['value', ['risky', 'breaking', 'safe']],
};

/** Advice for changes of a database that instances use meanwhile. */
const ADVICE: Record<string, string> = {
  added: 'Prepare the existing rows first, and deploy code that knows it.',
  required: 'Fill the existing rows in the migration, before the constraint.',
  optional: 'Let the code that reads it accept null first.',
  changed: 'In two releases: add the new beside it and write both, then drop this one.',
  removed: 'In two releases: first stop using it, then drop it.',
};

function lengthOf(type: string): [type: string, length: number] {
  const [base = '', native] = type.split(' ');
  const limit = /^(?:VarChar|Char)\((\d+)\)$/.exec(native ?? '')?.[1];
  return native === undefined || limit ? [base, Number(limit ?? Number.POSITIVE_INFINITY)] : [type, 0];
}

function judge(
  was: DatabasePart | undefined,
  is: DatabasePart | undefined,
): [verdict: Verdict, what: string, message: string] | undefined {
  const { rule, name } = (is ?? was) as DatabasePart;
  const what = whatOf(was, is);
  if (rule === 'nullable') {
    const [verdict, state] =
      is?.value === 'true' ? (['risky', 'optional'] as const) : (['breaking', 'required'] as const);
    return [verdict, state, `column ${name} is ${state} now`];
  }
  if (rule === 'columnType') {
    const [[before, length], [after, room]] = [lengthOf(was?.value ?? ''), lengthOf(is?.value ?? '')];
    const isWider = before === after && room >= length;
    return [isWider ? 'safe' : 'breaking', what, `type of ${name}: ${was?.value} → ${is?.value}`];
  }
  if (rule === 'column' && what === 'changed') return undefined;
  if (rule === 'column' && is?.value === 'required')
    return ['breaking', what, `column ${name} is new, required, and has no default`];
  const [kind, verdicts] = RULES[rule] ?? ['', ['risky', 'risky', 'risky']];
  const verdict = verdicts[['added', 'removed', 'changed'].indexOf(what)] ?? 'risky';
  if (what === 'changed') return [verdict, what, `${kind} ${name}: ${was?.value} → ${is?.value}`];
  return [verdict, what, `${kind} ${name} is ${is ? `new${is.value && `: ${is.value}`}` : 'gone'}`];
}

/** Returns the unsorted changes between two valid Prisma schemas. */
export function databaseChanges(before: PrismaSource, after: PrismaSource): Change[] {
  const [old, now] = [databaseParts(before), databaseParts(after)];
  const file = CHANGED_FILES.database;
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((id): Change[] => {
    const [was, is] = [old.get(id), now.get(id)];
    const part = (is ?? was) as DatabasePart;
    const isInside = part.within !== undefined && old.has(part.within) !== now.has(part.within);
    const judged = isInside || (was && is && was.value === is.value) ? undefined : judge(was, is);
    if (judged === undefined) return [];
    const [verdict, what, message] = judged;
    const rule = `database-${part.rule.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}-${what}`;
    const advice = verdict !== 'safe' && { advice: ADVICE[what] ?? String(ADVICE['changed']) };
    return [
      {
        ...{ id: `database:${id}:${what}`, rule, side: 'database', verdict, message, ...advice },
        place: { file, line: part.line, column: 1, old: is === undefined },
        elements: [part.element],
      },
    ];
  });
}

/** Reports a changed schema without a new migration, which would not reach the database. */
export function missingMigration(
  changes: readonly Change[],
  before: readonly string[],
  after: readonly string[],
): Change[] {
  const [first] = changes;
  if (first === undefined || after.some((name) => !before.includes(name))) return [];
  return [
    {
      ...{ id: 'database:migration:missing', rule: 'database-migration-missing', side: 'database' },
      ...{ verdict: 'breaking', place: first.place, elements: [] },
      message: 'the schema of the database changes, and no migration comes with it',
      advice: 'npm run accord -- migrate <name>',
    },
  ];
}
