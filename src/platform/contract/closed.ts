import type { Schema } from './document.js';
import { subschemasOf, withSubschemas } from './subschemas.js';

/**
 * The schema of an answer, which holds nothing that the contract does not name, though clients must expect that it may one day:
 * where an object's members are told and nothing is said of others, there are no others.
 * @param schema with its references followed, but those of what holds itself: they lead to its `$defs`
 */
export const closed = (schema: Schema): Schema => close(schema, true);

/** @param isWhole whether it says all of a value, and is not one part of what is said of it */
function close(schema: Schema, isWhole: boolean): Schema {
  // What is named by a reference is closed by who refers to it, for it may be a part there.
  const copy = withSubschemas(schema, (one, inPlace, keyword) => close(one, !inPlace && keyword !== '$defs'));
  const isOpen = schema.additionalProperties === undefined && schema['unevaluatedProperties'] === undefined;
  if (!isWhole || !isOpen || !tellsMembers(schema)) return copy;
  const isOfParts = '$ref' in schema || subschemasOf(schema).some(({ inPlace }) => inPlace);
  return { ...copy, [isOfParts ? 'unevaluatedProperties' : 'additionalProperties']: false };
}

/** Whether a schema, or a part of it, names members of its value. */
const tellsMembers = (schema: Schema): boolean =>
  'properties' in schema ||
  '$ref' in schema ||
  subschemasOf(schema).some(({ schema: one, inPlace }) => inPlace && tellsMembers(one));
