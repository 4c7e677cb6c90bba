import type { PrismaSource } from '../model/prisma-schema.js';
import type { Change, Verdict } from './change.js';
import { databaseForm, databaseLocate } from './database-form.js';
import { isTree, type Value } from './form.js';
import { judged } from './judged.js';
import { type Rule, subject, told } from './rule.js';

const EXPAND = 'In two releases: first add the new beside it and write both, then drop this one once nothing reads it.';
const FILL = 'Fill the rows that are there in the migration, before the constraint.';

const leaf =
  (kind: string, verdicts: Record<'add' | 'remove' | 'replace', Verdict>, advice: string): Rule =>
  (difference) => {
    const { action, before, after } = difference;
    const verdict = verdicts[action];
    const what = { add: 'added', remove: 'removed', replace: 'changed' }[action];
    const message =
      action === 'replace'
        ? `${kind} ${subject(difference)}: ${before} → ${after}`
        : `${kind} ${subject(difference)} is ${action === 'add' ? 'new' : 'gone'}${typeof after === 'string' ? `: ${after}` : ''}`;
    return { verdict, what, message, ...(verdict !== 'safe' && { advice }) };
  };

const column: Rule = (difference) => {
  const { action, after } = difference;
  const name = `column ${subject(difference)}`;
  if (action === 'remove') return { verdict: 'breaking', what: 'removed', message: `${name} is gone`, advice: EXPAND };
  const filled = (value: Value) =>
    isTree(value) &&
    (value['nullable'] === true || 'columnDefault' in value || String(value['columnType']).includes('[]'));
  if (filled(after)) return { verdict: 'safe', what: 'added', message: `${name} is new` };
  const advice =
    'Make it optional or give it a default: there are rows without it, and running instances that do not write it.';
  return { verdict: 'breaking', what: 'added', message: `${name} is new, required, and has no default`, advice };
};

const nullable: Rule = (difference) => {
  const optional = difference.after === true;
  const message = `column ${subject(difference)} is ${optional ? 'optional now' : 'required now'}`;
  const advice = optional ? 'Let the code that reads it take null first.' : FILL;
  return { verdict: optional ? 'risky' : 'breaking', what: optional ? 'optional' : 'required', message, advice };
};

/** `String VarChar(9)` as its type and how long it may be at most. */
function lengthOf(type: Value): [type: string, length: number] {
  const [base = '', native] = String(type).split(' ');
  const limit = /^(?:VarChar|Char)\((\d+)\)$/.exec(native ?? '')?.[1];
  return native === undefined || limit !== undefined
    ? [base, Number(limit ?? Number.POSITIVE_INFINITY)]
    : [String(type), 0];
}

/** A type takes all that was stored when only its length grows. */
const columnType: Rule = (difference) => {
  const [[was, before], [is, after]] = [lengthOf(difference.before), lengthOf(difference.after)];
  const message = told(difference, 'type');
  if (was === is && after >= before) return { verdict: 'safe', what: 'changed', message };
  return { verdict: 'breaking', what: 'changed', message, advice: EXPAND };
};

const table: Rule = (difference) => {
  const what = difference.action === 'add' ? 'added' : 'removed';
  const message = `table ${subject(difference)} is ${what === 'added' ? 'new' : 'gone'}`;
  return what === 'added' ? { verdict: 'safe', what, message } : { verdict: 'breaking', what, message, advice: EXPAND };
};

const OLD_INSTANCES = 'Deploy code that knows it first: instances still running meet it.';

/** Judged for the rows that are there, and for instances of the old version that still run. */
const RULES: Record<string, Rule> = {
  table,
  column,
  nullable,
  columnType,
  columnDefault: leaf(
    'default of column',
    { add: 'safe', remove: 'risky', replace: 'risky' },
    'Rows that are there keep their value.',
  ),
  key: leaf('primary key', { add: 'breaking', remove: 'breaking', replace: 'breaking' }, EXPAND),
  unique: leaf(
    'uniqueness of',
    { add: 'breaking', remove: 'risky', replace: 'safe' },
    'Look for duplicates first: the migration fails on one.',
  ),
  index: leaf('index', { add: 'safe', remove: 'risky', replace: 'safe' }, 'See that no query counts on it.'),
  relation: leaf(
    'relation',
    { add: 'risky', remove: 'risky', replace: 'risky' },
    'Rows that refer to nothing make the migration fail.',
  ),
  enumType: leaf('enum', { add: 'safe', remove: 'breaking', replace: 'safe' }, EXPAND),
  enumValue: leaf('value', { add: 'risky', remove: 'breaking', replace: 'safe' }, OLD_INSTANCES),
};

/** What changed between two versions of schema.prisma, both of them valid, seen from the database. In no order. */
export function databaseChanges(before: PrismaSource, after: PrismaSource): Change[] {
  const [old, current] = [before, after].map((source) => ({
    form: databaseForm(source),
    locate: databaseLocate(source),
  }));
  if (old === undefined || current === undefined) return [];
  return judged('database', old, current, RULES);
}

/** Without a migration the schema is only a wish: the database stays as it was. `migrations` are the names of their folders. */
export function missingMigration(
  changes: readonly Change[],
  before: readonly string[],
  after: readonly string[],
): Change[] {
  const [first] = changes;
  if (first === undefined || after.some((name) => !before.includes(name))) return [];
  return [
    {
      id: 'database:migration:missing',
      rule: 'database-migration-missing',
      side: 'database',
      verdict: 'breaking',
      what: 'missing',
      message: 'the schema of the database changes, and no migration comes with it',
      advice: 'npm run accord -- migrate <name>',
      place: first.place,
      lines: {},
      elements: [],
    },
  ];
}
