import { type Kind, MEMBERS } from '../model/elements.js';
import { EXTENSIONS } from '../model/extensions.js';

/** What an editor completes an OpenAPI document by. */
const OPENAPI = 'https://spec.openapis.org/oas/3.1/schema/2025-11-23';

/** Objects that a default may add to a place of several kinds are left open. */
const KINDS = (Object.keys(MEMBERS) as Kind[]).filter((kind) => !['default', 'update', 'other'].includes(kind));

const reference = (kind: Kind) => ({ $ref: `#/$defs/${kind}` });

/** The members of a kind under each of which others stand: by their names, or in a list. */
function held(kind: Kind): { properties: Record<string, object>; each?: object } {
  const properties: Record<string, object> = {};
  let each: object | undefined;
  for (const [keys, below] of MEMBERS[kind]) {
    if (!KINDS.includes(below)) continue;
    for (const key of keys) {
      const [name = '', all] = key.split('.');
      if (name === '*') each = reference(below);
      else
        properties[name] = all ? { items: reference(below), additionalProperties: reference(below) } : reference(below);
    }
  }
  return { properties, ...(each && { each }) };
}

function schemaOf(kind: Kind): object {
  const { properties, each } = held(kind);
  const own = Object.entries(EXTENSIONS).filter(([, { on }]) => on.includes(kind));
  const extensions = own.map(([name, { description, schema }]) => [
    name,
    { description, ...schema, ...properties[name] },
  ]);
  const all = { ...properties, ...Object.fromEntries(extensions) };
  return { ...(Object.keys(all).length > 0 && { properties: all }), ...(each && { additionalProperties: each }) };
}

/**
 * The JSON Schema (draft 2020-12) by which an editor knows `openapi.yaml`: OpenAPI's own, and at each place the members that are
 * ours. Names of others' are left to them.
 */
export const editorSchema = (): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'OpenAPI 3.1, with the members that Accord reads',
  allOf: [{ $ref: OPENAPI }, reference('document')],
  $defs: Object.fromEntries(KINDS.map((kind) => [kind, schemaOf(kind)])),
});
