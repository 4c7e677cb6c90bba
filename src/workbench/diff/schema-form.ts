import { down, follow, isNode, note, type Spot } from './spot.js';

/** Keywords whose value is compared as it stands. */
const KEYWORDS = [
  'maxLength',
  'minLength',
  'maximum',
  'minimum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'maxItems',
  'minItems',
  'maxProperties',
  'minProperties',
  'pattern',
  'format',
  'multipleOf',
  'uniqueItems',
  'default',
  'deprecated',
  'contentEncoding',
  'contentMediaType',
  'x-uncommon',
] as const;

/** Keywords whose value is a schema or something like it, and which are only the same or not. */
export const OPAQUE = [
  'not',
  'propertyNames',
  'patternProperties',
  'contains',
  'if',
  'then',
  'else',
  'dependentRequired',
];

const plain = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : value) as string;

/** The types, in one order, stated or implied by the values that are listed. */
function typesOf(schema: Record<string, unknown>): string | undefined {
  const types = [schema['type'] ?? []].flat() as string[];
  if (types.length > 0) return [...types].sort().join(' | ');
  const values = (schema['enum'] as unknown[] | undefined) ?? ('const' in schema ? [schema['const']] : []);
  const implied = values.map((value) => (value === null ? 'null' : typeof value));
  return implied.length > 0 ? [...new Set(implied)].sort().join(' | ') : undefined;
}

function enterValues(schema: Record<string, unknown>, spot: Spot): void {
  const listed = schema['enum'] as unknown[] | undefined;
  if (listed === undefined && !('const' in schema)) return;
  const values = listed ?? [schema['const']];
  note(down(spot, { key: 'enum', id: ':enum', source: listed ? 'enum' : 'const' }), 'enum');
  for (const [index, value] of values.entries()) {
    const source = listed ? ['enum', index] : 'const';
    note(down(spot, { key: ['enum', plain(value)], id: `:enum.${plain(value)}`, source }), 'value', plain(value));
  }
}

/** A member that travels the other way only is none here (readOnly, writeOnly; JSON Schema validation 9.4). */
function travels(schema: unknown, spot: Spot): boolean {
  const { node } = follow(schema, spot);
  return node[spot.direction === 'request' ? 'readOnly' : 'writeOnly'] !== true;
}

function enterMembers(schema: Record<string, unknown>, spot: Spot): void {
  const required = (schema['required'] as string[] | undefined) ?? [];
  const properties = isNode(schema['properties']) ? schema['properties'] : {};
  const closed = schema['additionalProperties'];
  if (isNode(schema['properties']) || closed !== undefined) {
    const extra = down(spot, { key: 'extra', id: ':additionalProperties', source: 'additionalProperties' });
    note(extra, 'extra', closed === false ? 'none' : 'any');
    if (isNode(closed)) enterSchema(closed, down(extra, { name: `${spot.name}{}` }), 'extra');
  }
  for (const [name, member] of Object.entries(properties)) {
    if (!travels(member, spot)) continue;
    const own = down(spot, {
      key: ['members', name],
      id: `.${name}`,
      source: ['properties', name],
      name: spot.name === '' ? name : `${spot.name}.${name}`,
    });
    note(own, 'member');
    note(down(own, { key: 'required', id: ':required' }), 'required', required.includes(name));
    enterSchema(member, down(own, { key: 'schema' }), 'schema');
  }
}

/** An alternative is known by the component that it is, by its title, or else by its place. */
function enterAlternatives(schema: Record<string, unknown>, keyword: 'oneOf' | 'anyOf', spot: Spot): void {
  const alternatives = schema[keyword];
  if (!Array.isArray(alternatives)) return;
  note(down(spot, { key: 'oneOf', id: `:${keyword}`, source: keyword }), 'alternatives');
  const taken = new Set<string>();
  for (const [index, alternative] of alternatives.entries()) {
    const { node, component } = follow(alternative, spot);
    const label = component ?? (node['title'] as string | undefined) ?? typesOf(node) ?? '';
    const key = taken.has(label) ? `${label}.${index}` : label;
    taken.add(key);
    const own = down(spot, { key: ['oneOf', key], id: `:${keyword}.${key}`, source: [keyword, index] });
    enterSchema(alternative, own, 'alternative');
  }
}

/** From when something deprecated may go: of a schema, a parameter or an operation. */
export function enterSunset(node: Record<string, unknown>, spot: Spot): void {
  const stated = node['x-deprecation'];
  const sunset = isNode(stated) ? stated['sunset'] : undefined;
  if (sunset === undefined) return;
  note(down(spot, { key: 'sunset', id: ':sunset', source: 'x-deprecation' }), 'sunset', String(sunset));
}

/** Enters a JSON Schema as it is for what travels in the spot's direction. `rule` judges the schema as a whole. */
export function enterSchema(value: unknown, here: Spot, rule = 'schema'): void {
  const { node: schema, spot, component } = follow(value, here);
  // The place of the whole is where it is used, and that of what it says where it says it.
  note(here, rule, { ...(component !== undefined && { name: component }) });
  if (here.within?.has(schema)) return void enterType(schema, spot);
  const whole = component === undefined ? spot : { ...spot, within: new Set(here.within).add(schema) };
  const parts = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
  for (const [index, part] of parts.entries()) {
    const { node, spot: own } = follow(part, down(whole, { source: ['allOf', index] }));
    enterKeywords(node, own);
  }
  enterKeywords(schema, whole);
}

function enterType(schema: Record<string, unknown>, spot: Spot): void {
  const type = typesOf(schema);
  if (type !== undefined) note(down(spot, { key: 'type', id: ':type', source: 'type' }), 'type', type);
}

function enterKeywords(schema: Record<string, unknown>, spot: Spot): void {
  enterType(schema, spot);
  for (const keyword of [...KEYWORDS, ...OPAQUE]) {
    if (schema[keyword] === undefined) continue;
    note(down(spot, { key: keyword, id: `:${keyword}`, source: keyword }), keyword, plain(schema[keyword]));
  }
  enterSunset(schema, spot);
  enterValues(schema, spot);
  enterMembers(schema, spot);
  if (isNode(schema['items'])) {
    enterSchema(schema['items'], down(spot, { key: 'items', id: '[]', source: 'items', name: `${spot.name}[]` }));
  }
  enterAlternatives(schema, 'oneOf', spot);
  enterAlternatives(schema, 'anyOf', spot);
}
