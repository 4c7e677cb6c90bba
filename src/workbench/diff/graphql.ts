import type { Change as Inspected } from '@graphql-inspector/core';
import { type GraphQLSchema, isInterfaceType, isObjectType, print, visit } from 'graphql';
import { permissionsOf } from '../model/permissions.js';
import {
  type Definition,
  definitionsIn,
  directivesOf,
  elementsAt,
  inputAt,
  type SdlSource,
  type Uses,
  usesIn,
} from '../model/sdl-source.js';
import { judgeFurther, judgePermission } from './access.js';
import { type Change, type Verdict, whatOf } from './change.js';
import { adviceFor } from './recorder.js';
import { inspectedName, judgeKeyword, ruleName } from './rules.js';

interface Schemas {
  before: GraphQLSchema;
  after: GraphQLSchema;
  uses: [Uses, Uses];
  old: Map<string, Definition>;
  today: Date;
}

type Rule = (change: Inspected, schemas: Schemas) => Verdict | undefined;

/** The locations of directives in queries (GraphQL, 3.13). */
const EXECUTABLE = /^(QUERY|MUTATION|SUBSCRIPTION|FIELD|FRAGMENT_.*|INLINE_FRAGMENT|VARIABLE_DEFINITION)$/;
/** Additions to an element, whose path is that element. */
const PART = /^(OBJECT_TYPE_INTERFACE|UNION_MEMBER|DIRECTIVE_(LOCATION|REPEATABLE|ARGUMENT))_ADDED$/;
const DATE = /\d{4}-\d{2}-\d{2}/;
const LEVELS: Record<string, Verdict> = { BREAKING: 'breaking', DANGEROUS: 'risky', NON_BREAKING: 'safe' };

const isSent = (name: unknown, { uses }: Schemas) => uses.some(({ sent }) => sent.has(String(name)));
const isReturned = (name: unknown, { uses }: Schemas) => uses.some(({ returned }) => returned.has(String(name)));

/** Returns true if the date in the reason of `@deprecated` has passed. */
function isAnnounced(path: string, { old, today }: Schemas): boolean {
  const reason = old.get(path)?.directives.find(({ name }) => name.value === 'deprecated')?.arguments?.[0]?.value;
  const date = reason && DATE.exec(print(reason))?.[0];
  return date !== undefined && Date.parse(date) <= today.getTime();
}

const removed: Rule = ({ path = '' }, schemas) => (isAnnounced(path, schemas) ? 'safe' : 'breaking');

/** Judges a change of a directive. Only directives of queries concern clients. */
const directive: Rule = ({ path = '', criticality, type, meta }, { before, after }) => {
  const name = path.replace('@', '').split('.')[0] ?? '';
  const place = meta['removedDirectiveLocation'] ?? meta['addedDirectiveLocation'];
  const all = [before, after].flatMap((schema) => schema.getDirective(name)?.locations ?? []);
  if (!all.some((location) => EXECUTABLE.test(location))) return undefined;
  if (place !== undefined && !EXECUTABLE.test(String(place))) return 'safe';
  return type === 'DIRECTIVE_REPEATABLE_REMOVED' ? 'breaking' : LEVELS[criticality.level];
};

const fallback: Rule = ({ path = '' }, { before, after }) => {
  const [was, is] = [inputAt(before, path), inputAt(after, path)];
  const [old, now] = [was, is].map((arg) => arg?.astNode?.defaultValue && print(arg.astNode.defaultValue));
  if (old === undefined) return 'safe';
  // A changed type is reported as the type.
  if (old === now) return undefined;
  return now === undefined && String(is?.type).endsWith('!') ? 'breaking' : 'risky';
};

/** A new type appears in the results of its interfaces. */
const typeAdded: Rule = ({ path = '' }, { before, after, uses: [{ returned }] }) => {
  const type = after.getType(path);
  const interfaces = isObjectType(type) ? type.getInterfaces().map(({ name }) => name) : [];
  return interfaces.some((name) => isInterfaceType(before.getType(name)) && returned.has(name)) ? 'risky' : 'safe';
};

/** Clients have planned for the date of `@deprecated`. */
const reason: Rule = ({ message }) => {
  const [was = '', is = was] = message.split("' to '").map((part) => DATE.exec(part)?.[0]);
  return is < was ? 'risky' : 'safe';
};
const isMet: Rule = ({ path }, schemas) => (isSent(path, schemas) || isReturned(path, schemas) ? 'breaking' : 'safe');
const unlessRequired: Rule = ({ criticality }) => (criticality.level === 'BREAKING' ? 'breaking' : 'safe');
const valueAdded: Rule = ({ meta }, schemas) => (isReturned(meta['enumName'], schemas) ? 'risky' : 'safe');
const valueRemoved: Rule = (change, schemas) =>
  isSent(change.meta['enumName'], schemas) ? removed(change, schemas) : 'safe';

/** Rules by the type of a change. They replace the inspector's verdicts, which ignore the direction. */
const RULES: [RegExp, Rule][] = [
  // `directiveChanges` compares the directives of definitions.
  [/DESCRIPTION|^DIRECTIVE_USAGE_/, () => undefined],
  [/^DIRECTIVE_/, directive],
  [/_DEPRECATION_REASON_CHANGED$/, reason],
  [/_DEPRECATION_/, () => 'safe'],
  [/DEFAULT.*_CHANGED$/, fallback],
  [/^ENUM_VALUE_ADDED$/, valueAdded],
  [/^ENUM_VALUE_REMOVED$/, valueRemoved],
  [/^(FIELD_ARGUMENT|INPUT_FIELD)_ADDED$/, unlessRequired],
  [/^(FIELD|INPUT_FIELD|FIELD_ARGUMENT)_REMOVED$/, removed],
  [/^TYPE_(REMOVED|KIND_CHANGED)$/, isMet],
  [/^TYPE_ADDED$/, typeAdded],
];

const WHAT: [RegExp, string][] = [
  [/DEPRECATION_ADDED$/, 'deprecated'],
  [/DEPRECATION_REMOVED$/, 'undeprecated'],
  [/_REMOVED$/, 'removed'],
  [/_ADDED$/, 'added'],
  [/DEFAULT/, 'default'],
  [/TYPE_CHANGED$/, 'type'],
];

const first = <T>(table: [RegExp, T][], type: string): T | undefined => table.find(([name]) => name.test(type))?.[1];

/** Returns the message of the inspector with names in backticks and the keywords of types. */
const messageOf = ({ message }: Inspected): string =>
  message
    .replaceAll("'", '`')
    .replaceAll('`undefined`', 'none')
    .replaceAll(/\b(Object|Interface|Union|Enum|InputObject|Scalar)TypeDefinition\b/g, (_, kind: string) =>
      kind === 'Object' ? 'type' : kind.replace('Object', '').toLowerCase(),
    );

/** The keywords of JSON Schema for arguments of `@constraint`. */
const KEYWORD: Record<string, string> = { min: 'minimum', max: 'maximum', uncommon: 'x-uncommon' };

type Stated = [id: string, rule: string, verdict: Verdict, what: string, message: string];

function directiveChanges(path: string, old: Definition, now: Definition): Stated[] {
  const found: Stated[] = [];
  const [was, is] = [permissionsOf(old), permissionsOf(now)];
  // Permissions have no order.
  const own = is.find(({ action }) => action === was[0]?.action) ?? is[0];
  const main = (was[0] || own) && judgePermission(was[0], own, path);
  const others = [was.slice(1), is.filter((permission) => permission !== own)];
  if (main) found.push([`${path}:permission`, 'permission', ...main]);
  for (const action of new Set(others.flat().map((permission) => permission.action))) {
    const [one, other] = others.map((all) => all.find((permission) => permission.action === action));
    const further = judgeFurther(one, other, path);
    if (further) found.push([`${path}:permission.${action}`, 'furtherPermission', ...further]);
  }
  const [before, after] = [directivesOf(old), directivesOf(now)];
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [one, other] = [before.get(name), after.get(name)];
    const keyword = KEYWORD[name] ?? name;
    const what = whatOf(one, other);
    const message = `${name} of ${path}: ${one ?? 'none'} → ${other ?? 'none'}`;
    const judged = judgeKeyword(keyword, 'request', one, other);
    if (one === other) continue;
    if (judged) found.push([`${path}:${name}`, keyword, ...judged, message]);
    else if (name === '@deprecated') found.push([`${path}:deprecated`, 'deprecated', 'safe', what, message]);
    else if (name === '@oneOf') found.push([`${path}:${name}`, 'usage', other ? 'breaking' : 'safe', what, message]);
    else found.push([`${path}:${name}`, 'usage', 'risky', what, `${message}: review this, no rule knows it`]);
  }
  return found;
}

const withoutDescriptions = ({ document }: SdlSource): string =>
  print(
    visit(document, { enter: (node) => ('description' in node ? { ...node, description: undefined } : undefined) }),
  );

/**
 * Returns the unsorted changes between two valid versions of schema.graphql. graphql-inspector compares the types. The table of keywords
 * and the rules for permissions compare the directives.
 */
export async function graphqlChanges(before: SdlSource, after: SdlSource, today: Date): Promise<Change[]> {
  // Loading the inspector takes long.
  if (withoutDescriptions(before) === withoutDescriptions(after)) return [];
  const { diff } = await import('@graphql-inspector/core');
  const [old, current] = [definitionsIn(before, before.schema), definitionsIn(after, before.schema)];
  const uses: [Uses, Uses] = [usesIn(before.schema), usesIn(after.schema)];
  const schemas: Schemas = { before: before.schema, after: after.schema, uses, old, today };

  const change = (path: string, elements: string[], ...[id, rule, verdict, what, message]: Stated): Change => {
    const isGone = !current.has(path) && old.has(path);
    const keys = path.split('.');
    const paths = keys.map((_, index) => keys.slice(0, keys.length - index).join('.'));
    const place = paths.map((path) => (isGone ? old : current).get(path)).find((place) => place !== undefined);
    const { file, line, column } = place ?? { file: after.file, line: 1, column: 1 };
    const advice = adviceFor(verdict, what);
    return {
      ...{ id: `graphql:${id}:${what}`, rule, side: 'graphql', verdict, message, ...(advice && { advice }) },
      ...(what === 'removed' && isAnnounced(path, schemas) && { settled: true }),
      place: { file, line, column, old: isGone },
      elements: [...new Set(elements)],
    };
  };

  // A new element is reported without its parts. The inspector's rule for this suppresses too much.
  const inspected = (await diff(before.schema, after.schema)).filter(({ type, path = '' }) =>
    path.includes('.') ? old.has(path.replace(/\.[^.]*$/, '')) : !PART.test(type) || old.has(path),
  );
  const found = inspected.flatMap((item): Change[] => {
    const rule = first(RULES, item.type);
    const verdict = rule === undefined ? LEVELS[item.criticality.level] : rule(item, schemas);
    if (verdict === undefined) return [];
    const root = /^SCHEMA_(\w+)_TYPE_CHANGED$/.exec(item.type)?.[1]?.toLowerCase();
    const meta = Object.entries(item.meta as Record<string, unknown>);
    const part = meta.find(([key]) => /UnionMember|InterfaceName|Location$|^addedDirectiveArg.*Name/.test(key))?.[1];
    const removedRoot = root && meta.find(([, name]) => old.has(String(name)) && !current.has(String(name)))?.[1];
    const plain = (item.path ?? '').replace(/\.@deprecated.*$/, '');
    const path = root ? String(removedRoot ?? '') : part === undefined ? plain : `${plain}.${part}`;
    const elements = elementsAt(after.schema, uses[1], plain);
    if (!current.has(path)) elements.push(...elementsAt(before.schema, uses[0], plain));
    const what = first(WHAT, item.type) ?? 'changed';
    const id = root ? `schema.${root}` : path;
    return [change(path, elements, id, inspectedName(item.type), verdict, what, messageOf(item))];
  });
  const isReported = (path: string) => found.some(({ id }) => `${id.split(':')[1]}.`.startsWith(`${path}.`));
  const stated = [...current].flatMap(([path, definition]): Change[] => {
    const known = old.get(path);
    if (known === undefined) return [];
    const elements = elementsAt(after.schema, uses[1], path.split('.').slice(0, 2).join('.'));
    const own = directiveChanges(path, known, definition).map(([id, rule, verdict, what, message]) => {
      const name = `graphql-${ruleName({ rule, direction: 'request' }, what)}`;
      return change(path, elements, id, name, verdict, what, message);
    });
    const isSame = known.shape === definition.shape || known.isExtended || definition.isExtended;
    if (isSame || isReported(path)) return own;
    const message = `\`${path}\` changed: review this, no rule knows it`;
    return [...own, change(path, [path], path, 'graphql-unjudged', 'risky', 'unjudged', message)];
  });
  return [...found, ...stated];
}
