import type { Schema } from '@accord-api/platform/contract/document';
import { schemaName } from '@accord-api/platform/contract/openapi';

const BOUNDS: [keyword: string, words: (value: unknown) => string][] = [
  ['format', (value) => String(value)],
  ['minimum', (value) => `from ${value}`],
  ['maximum', (value) => `to ${value}`],
  ['minLength', (value) => `at least ${value} characters`],
  ['maxLength', (value) => `at most ${value} characters`],
  ['maxItems', (value) => `at most ${value} items`],
  ['pattern', () => 'of a pattern'],
];

/** A schema in few words: the name of a component, or `integer, from 1, to 100`. */
export function schemaWords(schema: Schema | boolean | undefined): string {
  if (typeof schema !== 'object') return 'anything';
  const name = schemaName(schema);
  if (name !== undefined) return name;
  if (schema.enum !== undefined) return `one of ${schema.enum.map((value) => JSON.stringify(value)).join(', ')}`;
  const type = [schema.type ?? 'anything'].flat().join(' or ');
  const whole = type === 'array' ? `array of ${schemaWords(schema.items)}` : type;
  const bounds = BOUNDS.flatMap(([keyword, words]) => (schema[keyword] === undefined ? [] : words(schema[keyword])));
  return [whole, ...bounds].join(', ');
}
