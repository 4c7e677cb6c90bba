import type { Schema } from './document.js';

/** Keywords that say more of the same value. */
const OF_THE_SAME = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas', 'not'];
/** Keywords of which a value is no schema. */
const PLAIN = new Set(['const', 'default', 'enum', 'example', 'examples', 'required']);

/**
 * The schema of an answer, which holds nothing that the contract does not name, though clients must expect that it may one day:
 * where an object's members are told and nothing is said of others, there are no others.
 * @param schema with its references followed, but those of what holds itself: they lead to its `$defs`
 */
export const closed = (schema: Schema): Schema => close(schema, true) as Schema;

/** @param isWhole whether it says all of a value, and is not one part of what is said of it */
function close(schema: unknown, isWhole: boolean): unknown {
  if (Array.isArray(schema)) return schema.map((one) => close(one, isWhole));
  if (typeof schema !== 'object' || schema === null) return schema;
  const stated = schema as Schema;
  const members = Object.entries(stated).map(([key, value]) => [key, closeMember(key, value)]);
  const isOpen = stated.additionalProperties === undefined && stated['unevaluatedProperties'] === undefined;
  if (!isWhole || !isOpen || !tellsMembers(stated)) return Object.fromEntries(members);
  const nothing = OF_THE_SAME.some((key) => key in stated) ? 'unevaluatedProperties' : 'additionalProperties';
  return Object.fromEntries([...members, [nothing, false]]);
}

function closeMember(key: string, value: unknown): unknown {
  if (PLAIN.has(key)) return value;
  const isByName = ['properties', 'patternProperties', 'dependentSchemas', '$defs'].includes(key);
  // What is named by a reference is closed by who refers to it, for it may be a part there.
  const isWhole = key !== '$defs' && !OF_THE_SAME.includes(key);
  if (!isByName) return close(value, isWhole);
  return Object.fromEntries(Object.entries(value as object).map(([name, one]) => [name, close(one, isWhole)]));
}

/** Whether a schema, or a part of it, names members of its value. */
const tellsMembers = (schema: unknown): boolean =>
  typeof schema === 'object' &&
  schema !== null &&
  ('properties' in schema ||
    '$ref' in schema ||
    OF_THE_SAME.some((key) =>
      [(schema as Schema)[key]].flat().some((part) => part !== undefined && tellsMembers(part)),
    ));
