import { type DocumentNode, type FieldDefinitionNode, Kind } from 'graphql';
import { PAGE_SIZE } from '../model/paging-names.js';
import { constraintOf, isList, namedType } from '../model/sdl.js';
import { BOUNDED, PAGED, pages } from './paging.js';
import type { SdlFlaw, SdlRule } from './rule.js';

interface Owned {
  type: string;
  field: FieldDefinitionNode;
}

const fieldsOf = ({ definitions }: DocumentNode): Owned[] =>
  definitions.flatMap((one) => {
    const isObject =
      one.kind === Kind.OBJECT_TYPE_DEFINITION ||
      one.kind === Kind.OBJECT_TYPE_EXTENSION ||
      one.kind === Kind.INTERFACE_TYPE_DEFINITION;
    return isObject ? (one.fields ?? []).map((field) => ({ type: one.name.value, field })) : [];
  });

/** The list of a connection or an edge is bounded by the field that leads to it; values are no resources. */
function unpagedFields(document: DocumentNode): SdlFlaw[] {
  const composite = new Set(
    document.definitions.flatMap((one) =>
      one.kind === Kind.OBJECT_TYPE_DEFINITION ||
      one.kind === Kind.INTERFACE_TYPE_DEFINITION ||
      one.kind === Kind.UNION_TYPE_DEFINITION
        ? [one.name.value]
        : [],
    ),
  );
  return fieldsOf(document)
    .filter(({ type }) => !/(Connection|Edge)$/.test(type))
    .filter(({ field }) => isList(field.type) && composite.has(namedType(field.type)))
    .filter(({ field }) => !pages((field.arguments ?? []).map(({ name }) => name.value)))
    .map(({ type, field }) => ({
      node: field.name,
      message: `"${type}.${field.name.value}" is a list and takes no \`limit\` with an \`offset\` or \`before\`; or make it a connection.`,
    }));
}

function unboundedArguments(document: DocumentNode): SdlFlaw[] {
  return fieldsOf(document).flatMap(({ type, field }) =>
    (field.arguments ?? [])
      .filter(({ name, directives }) => PAGE_SIZE.test(name.value) && constraintOf(directives)['max'] === undefined)
      .map(({ name }) => ({
        node: name,
        message: `"${type}.${field.name.value}(${name.value}:)" has no @constraint(max:): one request may ask for all there is.`,
      })),
  );
}

export const SDL_PAGING_RULES: SdlRule[] = [
  { ...PAGED, check: unpagedFields },
  { ...BOUNDED, check: unboundedArguments },
];
