import { type ElementKind, MEMBERS } from '../../src/workbench/model/elements.js';
import { EXTENSIONS } from '../../src/workbench/model/extensions.js';

/** The JSON Schema of OpenAPI 3.1. */
const OPENAPI = 'https://spec.openapis.org/oas/3.1/schema/2026-08-03';

/** The kinds with a schema. Defaults may add members of several kinds, and have none. */
const KINDS = (Object.keys(MEMBERS) as ElementKind[]).filter((kind) => !['default', 'update', 'other'].includes(kind));

const reference = (kind: ElementKind) => ({ $ref: `#/$defs/${kind}` });

/** Returns the schemas of the members of a kind. `each` is the schema of all members. */
function membersOf(kind: ElementKind): { properties: Record<string, object>; each?: object } {
  const properties: Record<string, object> = {};
  let each: object | undefined;
  for (const [keys, inner] of MEMBERS[kind]) {
    if (!KINDS.includes(inner)) continue;
    for (const key of keys) {
      const [name = '', all] = key.split('.');
      if (name === '*') each = reference(inner);
      else
        properties[name] = all ? { items: reference(inner), additionalProperties: reference(inner) } : reference(inner);
    }
  }
  return { properties, ...(each && { each }) };
}

function schemaOf(kind: ElementKind): object {
  const { properties, each } = membersOf(kind);
  const own = Object.entries(EXTENSIONS).filter(([, { on }]) => on.includes(kind));
  const extensions = own.map(([name, { description, schema }]) => [
    name,
    { description, ...schema, ...properties[name] },
  ]);
  const all = { ...properties, ...Object.fromEntries(extensions) };
  return { ...(Object.keys(all).length > 0 && { properties: all }), ...(each && { additionalProperties: each }) };
}

/** Returns the JSON Schema (draft 2020-12) of `openapi.yaml` for editors: the schema of OpenAPI with Accord's extensions. */
export const editorSchema = (): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'OpenAPI 3.1, with the members that Accord reads',
  allOf: [{ $ref: OPENAPI }, reference('document')],
  $defs: Object.fromEntries(KINDS.map((kind) => [kind, schemaOf(kind)])),
});
