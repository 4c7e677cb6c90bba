import { type ASTNode, type ConstDirectiveNode, print, visit } from 'graphql';
import { permissionsOf } from '../model/permissions.js';
import type { SdlSource } from '../model/sdl-source.js';
import type { Change } from './change.js';
import { emptyForm, type Form, type Spot } from './form.js';
import { elementsAt, likenessAt, linesIn, locatorOf, type Named, namedIn, usesIn } from './graphql-places.js';
import { judgeInspected, type Schemas } from './graphql-rules.js';
import { judged } from './judged.js';
import { PERMISSION_RULES, permissionText } from './permission-rules.js';
import type { Rule } from './rule.js';
import { inspectedName } from './rule-names.js';
import { SCHEMA_RULES } from './schema-rules.js';
import { down, note } from './spot.js';

/** The names of `@constraint` in the words of JSON Schema, whose rules they share. */
const KEYWORD: Record<string, string> = { min: 'minimum', max: 'maximum', uncommon: 'x-uncommon' };

function enterConstraints({ arguments: given = [] }: ConstDirectiveNode, spot: Spot): void {
  for (const { name, value } of given) {
    if (!('value' in value)) continue;
    const keyword = KEYWORD[name.value] ?? name.value;
    note(down(spot, { key: keyword, id: `:${name.value}` }), keyword, value.value as string);
  }
}

/** The directives that rules look at. */
const JUDGED = new Set(['permission', 'constraint', 'deprecated']);

/** A directive as it is written, its arguments in one order. */
const usageOf = ({ name, arguments: given = [] }: ConstDirectiveNode): string =>
  `@${name.value}(${given
    .map((one) => print(one))
    .sort()
    .join(', ')})`;

/** A directive that no other rule looks at: what it asks, somebody else knows. */
const usage: Rule = (difference) => {
  const { action, before, after, fact } = difference;
  const what = { add: 'added', remove: 'removed', replace: 'changed' }[action];
  if (fact.name === '@oneOf') {
    const message = `${fact.where} ${action === 'add' ? 'takes exactly one of its members now' : 'takes any of its members now'}`;
    if (action !== 'add') return { verdict: 'safe', what, message };
    return { verdict: 'breaking', what, message, advice: 'Add an input of another name, and take both.' };
  }
  const message = `${fact.name} of ${fact.where} changed, and was not judged: ${before ?? 'none'} → ${after ?? 'none'}`;
  return { verdict: 'risky', what, message };
};

/** What the directives of the SDL promise: permissions and constraints. */
function directiveForm(named: Map<string, Named>): Form {
  const form = emptyForm();
  for (const [path, { directives, itself }] of named) {
    const spot: Spot = {
      ...{ form, document: undefined, path: [path], id: path, source: [path], name: '', where: path },
      ...{ direction: 'request', element: path.split('.').slice(0, 2).join('.') },
    };
    note(spot, 'named');
    const permissions = permissionsOf({ directives });
    for (const [index, permission] of permissions.entries()) {
      const further = {
        key: ['also', permission.action],
        id: `:permission.${permission.action}`,
        name: permission.action,
      };
      const at = down(spot, index === 0 ? { key: 'permission', id: ':permission' } : further);
      note(at, index === 0 ? 'permission' : 'furtherPermission', permissionText(permission));
    }
    const usages = new Map<string, string[]>();
    for (const directive of directives) {
      const name = directive.name.value;
      if (name === 'constraint') enterConstraints(directive, spot);
      // The inspector looks at those of fields and of values alone.
      if (name === 'deprecated' && itself.startsWith('InputValueDefinition'))
        note(down(spot, { key: 'deprecated', id: ':deprecated' }), 'deprecated', true);
      if (!JUDGED.has(name)) usages.set(name, [...(usages.get(name) ?? []), usageOf(directive)].sort());
    }
    for (const [name, texts] of usages) {
      note(down(spot, { key: ['directives', name], id: `:@${name}`, name: `@${name}` }), 'usage', texts.join(' '));
    }
  }
  return form;
}

/** A path that tells members of a union, and interfaces of a type, from one another. */
function pathOf(path: string, meta: Record<string, unknown>): string {
  const part = Object.entries(meta).find(([key]) => /UnionMember|InterfaceName/.test(key))?.[1];
  return typeof part === 'string' ? `${path}.${part}` : path.replace(/\.@deprecated.*$/, '');
}

/** What is written otherwise in both versions, and of which the inspector says nothing. */
function untoldOf(old: Map<string, Named>, current: Map<string, Named>, found: readonly Change[]): Change[] {
  const told = (path: string) =>
    found.some(({ id }) => id.split(':')[1]?.split('.').slice(0, path.split('.').length).join('.') === path);
  return [...current].flatMap(([path, { itself, file, line, column }]): Change[] => {
    const was = old.get(path)?.itself ?? itself;
    if (itself === was || itself === '' || was === '' || told(path)) return [];
    const place = { file, line, column, old: false };
    const lines = linesIn(old, current, path);
    const message = `\`${path}\` changed, and was not judged`;
    return [
      {
        id: `graphql:${path}:unjudged`,
        rule: 'graphql-unjudged',
        side: 'graphql',
        verdict: 'risky',
        what: 'unjudged',
        message,
        place,
        lines,
        elements: [path],
      },
    ];
  });
}

/** All that an SDL says to programs. */
const saidTo = ({ document }: SdlSource): string =>
  print(
    visit(document, {
      enter: (node: ASTNode) =>
        'description' in node && node.description ? { ...node, description: undefined } : undefined,
    }),
  );

/**
 * What changed between two versions of schema.graphql, both of which the check has passed: by the inspector, which looks at
 * types, and by the rules for REST, which look at permissions and constraints. In no order.
 */
export async function graphqlChanges(before: SdlSource, after: SdlSource, now: Date): Promise<Change[]> {
  // The inspector is slow to load, and words are none of its business.
  if (saidTo(before) === saidTo(after)) return [];
  const { diff, DiffRule } = await import('@graphql-inspector/core');
  const [old, current] = [namedIn(before), namedIn(after)];
  const locate = { old: locatorOf(old, before.file), current: locatorOf(current, after.file) };
  const [oldSchema, schema] = [before.schema, after.schema];
  const uses = [usesIn(oldSchema), usesIn(schema)] as const;
  const schemas: Schemas = { before: oldSchema, after: schema, uses: [...uses], old, now };
  const inspected = await diff(oldSchema, schema, [DiffRule.simplifyChanges]);
  const found = inspected.flatMap((change): Change[] => {
    const judgement = judgeInspected(change, schemas);
    if (judgement === undefined) return [];
    const root = /^SCHEMA_(\w+)_TYPE_CHANGED$/.exec(change.type)?.[1]?.toLowerCase();
    // The type that was a root is told where it was.
    const lost = root && Object.values(change.meta).find((name) => old.has(String(name)) && !current.has(String(name)));
    const path = root === undefined ? pathOf(change.path ?? '', change.meta) : String(lost ?? '');
    const gone = (judgement.what === 'removed' || root !== undefined) && !current.has(path) && old.has(path);
    const { lines: _lines, ...at } = (gone ? locate.old : locate.current)([path]);
    const place = { ...at, old: gone };
    const lines = linesIn(old, current, path);
    const likeness = change.type.startsWith('ENUM') ? undefined : likenessAt(gone ? old : current, path);
    const elements = [
      ...new Set([
        ...elementsAt(schema, uses[1], change.path ?? ''),
        ...(gone ? elementsAt(oldSchema, uses[0], change.path ?? '') : []),
      ]),
    ];
    const id = `graphql:${root === undefined ? path : `schema.${root}`}:${judgement.what}`;
    const rule = inspectedName(change.type);
    return [{ ...judgement, id, rule, side: 'graphql', place, lines, elements, ...(likeness && { likeness }) }];
  });
  const versions = [
    { form: directiveForm(old), locate: locate.old },
    { form: directiveForm(current), locate: locate.current },
  ] as const;
  const untold = untoldOf(old, current, found);
  const stated = judged('graphql', ...versions, { ...SCHEMA_RULES, ...PERMISSION_RULES, usage });
  const concerned = (paths: string[]) => paths.flatMap((path) => elementsAt(schema, uses[1], path));
  return [...found, ...untold, ...stated.map((change) => ({ ...change, elements: concerned(change.elements) }))];
}
