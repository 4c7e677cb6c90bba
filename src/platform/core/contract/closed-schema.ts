import type { Schema } from './document.js';
import { subschemasOf, withSubschemas } from './schemas.js';

/**
 * Closes the objects of a response: members that are not declared are not allowed, unless the schema says so.
 * @param schema inlined, with recursive schemas in `$defs`
 */
export const closedSchema = (schema: Schema): Schema => close(schema, true);

/** @param isWhole false for a part of another schema, such as `allOf` */
function close(schema: Schema, isWhole: boolean): Schema {
  // The users of a definition close it, because they may combine it with others.
  const copy = withSubschemas(schema, (schema, inPlace, keyword) => close(schema, !inPlace && keyword !== '$defs'));
  const isOpen = schema.additionalProperties === undefined && schema['unevaluatedProperties'] === undefined;
  if (!isWhole || !isOpen || !declaresMembers(schema)) return copy;
  const isOfParts = '$ref' in schema || subschemasOf(schema).some(({ inPlace }) => inPlace);
  return { ...copy, [isOfParts ? 'unevaluatedProperties' : 'additionalProperties']: false };
}

const declaresMembers = (schema: Schema): boolean =>
  'properties' in schema ||
  '$ref' in schema ||
  subschemasOf(schema).some(({ schema: subschema, inPlace }) => inPlace && declaresMembers(subschema));
