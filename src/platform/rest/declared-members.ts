import type { Schema } from '../contract/document.js';

/** Returns the name of a member that a schema does not declare; undefined where all are declared. */
type MemberCheck = (value: unknown) => string | undefined;

/** Levels below which members are not looked at. */
const MAX_DEPTH = 8;
/** Keywords by which a schema declares members beside its `properties`. */
const OTHERS = ['additionalProperties', 'patternProperties', 'allOf', 'anyOf', 'oneOf', 'if', '$ref'];

/**
 * Compiles the check for members that a response does not declare: a row that a handler spreads into a body. JSON Schema leaves
 * objects open, so a validator finds nothing.
 */
export function memberCheck(schema: Schema, depth = 0): MemberCheck | undefined {
  if (depth > MAX_DEPTH || OTHERS.some((keyword) => keyword in schema)) return undefined;
  const { items, properties } = schema as { items?: Schema; properties?: Record<string, Schema> };
  if (items) {
    const check = memberCheck(items, depth + 1);
    return check && ((value) => (Array.isArray(value) ? firstFound(value, check) : undefined));
  }
  if (!properties) return undefined;
  const checks = new Map(Object.entries(properties).map(([name, one]) => [name, memberCheck(one, depth + 1)]));
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    for (const name in value) {
      const member = (value as Record<string, unknown>)[name];
      if (member === undefined) continue;
      if (!checks.has(name)) return name;
      const found = checks.get(name)?.(member);
      if (found !== undefined) return `${name}.${found}`;
    }
    return undefined;
  };
}

function firstFound(values: readonly unknown[], check: MemberCheck): string | undefined {
  for (const value of values) {
    const found = check(value);
    if (found !== undefined) return found;
  }
  return undefined;
}
