import type { Schema } from '@accord-api/platform/internals/contract/document';
import { isPlain } from '@accord-api/platform/internals/contract/references';
import { laidOpen } from '@accord-api/platform/internals/contract/schemas';
import type { Json } from './people.js';

type Path = readonly string[];

/** A value of which a schema says nothing but how long or large it is; undefined where it says more. */
function plainOf({ type, format, pattern, multipleOf, ...bounds }: Schema): unknown {
  if (format !== undefined || pattern !== undefined || multipleOf !== undefined) return undefined;
  const {
    minLength = 0,
    maxLength = Number.POSITIVE_INFINITY,
    minimum,
    maximum = 1,
  } = bounds as Record<string, number>;
  const [kind] = [type].flat();
  if (kind === 'string') return 'A text of a test'.slice(0, maxLength).padEnd(minLength, '.');
  return kind === 'integer' || kind === 'number' ? (minimum ?? Math.min(1, maximum)) : undefined;
}

/** A value that a schema takes; undefined where it gives no example of one that has a form. */
function sampleOf(schema: Schema, number: number): unknown {
  // One that nobody has yet.
  if (schema['format'] === 'email') return `member${number}@example.com`;
  const [example] = (schema['examples'] as unknown[] | undefined) ?? [];
  return schema['example'] ?? example ?? schema.const ?? schema['default'] ?? plainOf(schema);
}

/** What a member is given in turn: all of a closed list, else what it has an example of where it is not there yet. */
function valuesOf(schema: Schema, present: unknown, number: number): unknown[] {
  const listed = schema.enum ?? (schema.type === 'boolean' ? [true, false] : undefined);
  if (listed !== undefined) return listed.filter((value) => value !== present);
  const sample = present === undefined ? sampleOf(schema, number) : undefined;
  return sample === undefined ? [] : [sample];
}

const valueAt = (body: Json, path: Path): unknown =>
  path.reduce<unknown>((value, name) => (isPlain(value) ? value[name] : undefined), body);

function withValue(body: Json, path: Path, value: unknown): Json {
  const copy = structuredClone(body ?? {}) as Record<string, unknown>;
  const holder = path.slice(0, -1).reduce((held, name) => {
    held[name] = isPlain(held[name]) ? held[name] : {};
    return held[name] as Record<string, unknown>;
  }, copy);
  holder[path.at(-1) ?? ''] = value;
  return copy as Json;
}

/**
 * Bodies that differ from a sound one in a single member: each that it has not, and of those with a closed list of values each
 * other value. The same body and schema always give as many, in the same order.
 * @param number of the request, so that no two say the same address
 */
export function bodyVariants(sound: Json, written: Schema, number: number): Json[] {
  const below = (part: Schema, path: Path): Json[] => {
    const { properties = {} } = laidOpen(part, written);
    return Object.entries(properties).flatMap(([name, given]) => {
      if (typeof given === 'boolean') return [];
      const schema = laidOpen(given, written);
      const at = [...path, name];
      const present = valueAt(sound, at);
      const own = valuesOf(schema, present, number).map((value) => withValue(sound, at, value));
      // Of an object that is not there, what it demands together nobody knows.
      return [...own, ...(isPlain(present) ? below(schema, at) : [])];
    });
  };
  return below(written, []);
}
