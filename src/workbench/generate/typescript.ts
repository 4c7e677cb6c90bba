import type { Schema } from '@accord-api/platform/contract/document';
import { schemaName } from '@accord-api/platform/contract/openapi';

export const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : JSON.stringify(value);

export const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name));

/** Returns a doc comment with the given lines, or an empty string without lines. */
export function docComment(lines: readonly string[], indent = ''): string {
  const safe = lines.map((line) => line.replaceAll('*/', '*\\/').trimEnd());
  if (safe.length === 0) return '';
  if (safe.length === 1) return `${indent}/** ${safe[0]} */\n`;
  return `${indent}/**\n${safe.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

/** Breaks a text between words so that a comment line stays within 120 columns. Later lines begin with `indent`. */
export function wrap(text: string, indent: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < 116) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(last === undefined ? word : indent + word);
  }
  return lines;
}

export interface Member {
  name: string;
  type: string;
  optional?: boolean;
  description?: string | undefined;
}

/** Returns an object type: on one line, or with `indent` one member per line with its description. */
export function objectType(members: readonly Member[], indent?: string): string {
  if (members.length === 0) return 'Record<string, never>';
  const text = ({ name, type, optional }: Member) => `${key(name)}${optional ? '?' : ''}: ${type}`;
  if (indent === undefined) return `{ ${members.map(text).join('; ')} }`;
  const inner = `${indent}  `;
  const lines = members.map((member) => {
    const description = member.description?.trim().split('\n') ?? [];
    return `${docComment(description, inner)}${inner}${text(member)};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

const union = (types: string[]): string => [...new Set(types)].join(' | ') || 'never';

const PRIMITIVES: Record<string, string> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

function objectOf({ properties = {}, required = [], additionalProperties }: Schema, named: (name: string) => string) {
  const members = Object.entries(properties).map(([name, schema]) => ({
    name,
    type: typeOf(schema, named),
    optional: !required.includes(name),
  }));
  if (members.length > 0) return objectType(members);
  return typeof additionalProperties === 'object'
    ? `Record<string, ${typeOf(additionalProperties, named)}>`
    : additionalProperties === false
      ? 'Record<string, never>'
      : 'Record<string, unknown>';
}

function typeOfKeywords(schema: Schema, named: (name: string) => string): string {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? (schema.properties ? 'object' : 'unknown')];
  const single = (type: string) => {
    if (type === 'array') return `Array<${typeOf(schema.items, named)}>`;
    if (type === 'object') return objectOf(schema, named);
    return PRIMITIVES[type] ?? 'unknown';
  };
  return union(types.map(single));
}

/** Returns the types whose intersection a schema describes. */
function partsOf(schema: Schema, named: (name: string) => string): string[] {
  const { allOf = [], properties = {}, required = [] } = schema;
  const name = schemaName(schema);
  const alternatives = schema.oneOf ?? schema.anyOf;
  const literals = schema.const === undefined ? schema.enum : [schema.const];
  const others = [
    ...(name === undefined ? [] : [named(name)]),
    ...(literals === undefined ? [] : [union(literals.map(literal))]),
    ...(alternatives === undefined ? [] : [union(alternatives.map((one) => typeOf(one, named)))]),
    ...allOf.map((one) => typeOf(one, named)),
  ];
  if (others.length === 0) return [typeOfKeywords(schema, named)];
  // `required` may name members that another part of the intersection describes.
  const missing = required.filter((name) => !(name in properties)).map((name) => ({ name, type: '{} | null' }));
  return [
    ...others,
    ...(Object.keys(properties).length > 0 ? [objectOf(schema, named)] : []),
    ...(missing.length > 0 ? [objectType(missing)] : []),
  ];
}

/** Returns the type of a schema. @param named returns the type of a component by its name */
export function typeOf(schema: Schema | boolean | undefined, named: (name: string) => string): string {
  if (schema === undefined || typeof schema === 'boolean') return 'unknown';
  const parts = partsOf(schema, named);
  return parts.length === 1 ? String(parts[0]) : parts.map((one) => `(${one})`).join(' & ');
}
