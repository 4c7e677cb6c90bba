import type { OpenApiDocument, Schema, SecurityRequirement } from '@accord-api/platform/contract/document';
import { isPlain, keysOf, valueAt } from '@accord-api/platform/contract/references';
import { subschemasOf } from '@accord-api/platform/contract/subschemas';
import { HOLDS, type Kind } from './places.js';
import { allowsMore, schemaOf30 } from './schema-3.0.js';

type Node = Record<string, unknown>;

/** Without members that OpenAPI 3.0 lacks. */
const without = (node: Node, ...names: string[]): Node =>
  Object.fromEntries(Object.entries(node).filter(([name]) => !names.includes(name)));

/** What 3.0 calls a name of a component. */
const nameOf = (keys: string[]): string => keys.join('/').replaceAll(/[^\w.-]+/g, '_');

/** The security schemes of a document by what they are: those of 3.0, whose requirements may name scopes, and the others. */
function schemesOf(document: OpenApiDocument) {
  const schemes = Object.entries(document.components?.securitySchemes ?? {});
  const named = (...types: string[]) => schemes.filter(([, { type }]) => types.includes(type)).map(([name]) => name);
  return { withScopes: named('oauth2', 'openIdConnect'), unknown: named('mutualTLS') };
}

/**
 * A document of OpenAPI 3.1 as one of 3.0, for tools that take no other: with the same operations, and schemas that allow what they
 * allowed (`schemaOf30`). Left out is what 3.0 has no place for: `webhooks`, path items as components (they stand where they are used),
 * what stands beside a reference, and that a call needs a certificate. A schema that is referred to where it is no component becomes one.
 * @param document of sound structure, all of whose local references lead somewhere; it is left as it is
 * @see https://spec.openapis.org/oas/v3.0.3
 */
export function openApi30(document: OpenApiDocument): Node {
  const schemes = schemesOf(document);
  /** Names of the schemas that become components, by their references. */
  const named = new Map<string, string>();
  const taken = new Set(Object.keys(document.components?.schemas ?? {}));

  /** Where what a schema refers to stands in the new document. */
  function referenceOf(reference: string): string {
    const keys = keysOf(reference);
    const isComponent = keys.length === 3 && reference.startsWith('#/components/schemas/');
    if (!reference.startsWith('#/') || isComponent || valueAt(document, keys) === undefined) return reference;
    let name =
      named.get(reference) ?? nameOf(keys.filter((key, at) => at > 1 || key !== ['components', 'schemas'][at]));
    while (!named.has(reference) && taken.has(name)) name += '_';
    named.set(reference, name);
    taken.add(name);
    return `#/components/schemas/${name}`;
  }

  /** Whether a schema will allow more than it does, or one that it holds or refers to. */
  function isWider(schema: unknown, seen = new Set<string>()): boolean {
    if (!isPlain(schema)) return false;
    if (allowsMore(schema)) return true;
    const { $ref } = schema as Schema;
    if ($ref?.startsWith('#/') && !seen.has($ref)) {
      seen.add($ref);
      if (isWider(valueAt(document, keysOf($ref)), seen)) return true;
    }
    return subschemasOf(schema).some(({ schema: one }) => isWider(one, seen));
  }

  const security = (requirements: unknown): { security?: SecurityRequirement[] } =>
    Array.isArray(requirements)
      ? { security: requirements.map((one: SecurityRequirement) => requirementOf(one, schemes)) }
      : {};

  /** Each kind's own members as 3.0 has them; what it holds is told already. */
  const rules: { [Key in Kind]?: (node: Node, source: Node) => Node } = {
    document: (node, { info, security: asked }) => ({
      ...without(node, 'webhooks', 'jsonSchemaDialect'),
      openapi: '3.0.3',
      info: infoOf(info as Node),
      paths: node['paths'] ?? {},
      ...security(asked),
    }),
    components: (node, { securitySchemes }) => ({
      ...without(node, 'pathItems'),
      ...(isPlain(securitySchemes) && { securitySchemes: without(securitySchemes, ...schemes.unknown) }),
    }),
    operation: (node, { responses, security: asked }) => ({
      ...node,
      ...security(asked),
      ...((!isPlain(responses) || Object.keys(responses).length === 0) && {
        responses: { default: { description: 'Not described.' } },
      }),
    }),
    schema(node, source) {
      const { $ref } = source as Schema;
      return schemaOf30(source, node, $ref === undefined ? undefined : referenceOf($ref), (one) => isWider(one));
    },
  };

  /** All that stands under a key, each of one kind. */
  function section(kind: Kind, held: unknown): unknown {
    if (Array.isArray(held)) return held.map((one) => told(kind, one));
    if (!isPlain(held)) return held;
    return Object.fromEntries(Object.entries(held).map(([name, one]) => [name, told(kind, one)]));
  }

  function told(kind: Kind, source: unknown): unknown {
    if (kind === 'schema' && typeof source === 'boolean') return source ? {} : { not: {} };
    if (!isPlain(source)) return source;
    const { $ref, ...beside } = source;
    if (typeof $ref === 'string' && kind === 'pathItem')
      return told(kind, { ...(valueAt(document, keysOf($ref)) as Node | undefined), ...beside });
    if (typeof $ref === 'string' && kind !== 'schema') return { $ref };
    const node = { ...source };
    for (const [holdings, held] of HOLDS[kind]) {
      for (const holding of holdings) {
        const [key = '', all] = holding.split('.');
        if (key === '*') return section(held, source);
        if (Object.hasOwn(source, key)) node[key] = (all === undefined ? told : section)(held, source[key]);
      }
    }
    return rules[kind]?.(node, source) ?? node;
  }

  const whole = told('document', document) as Node & { components?: Node };
  if (named.size === 0) return whole;
  const schemas: Node = { ...(whole.components?.['schemas'] as Node | undefined) };
  // To tell one may name further ones, which the walk reaches then.
  for (const [reference, name] of named) schemas[name] = told('schema', valueAt(document, keysOf(reference)));
  return { ...whole, components: { ...whole.components, schemas } };
}

const infoOf = (info: Node): Node => ({
  ...without(info, 'summary'),
  ...(isPlain(info['license']) && { license: without(info['license'], 'identifier') }),
});

/** A requirement without what 3.0 does not know, and with scopes where it has them. */
function requirementOf(requirement: SecurityRequirement, { withScopes, unknown }: ReturnType<typeof schemesOf>) {
  const known = Object.entries(requirement).filter(([name]) => !unknown.includes(name));
  return Object.fromEntries(known.map(([name, scopes]) => [name, withScopes.includes(name) ? scopes : []]));
}
