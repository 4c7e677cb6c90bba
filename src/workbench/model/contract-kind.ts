import { Kind, parse } from 'graphql';

/** Which of the two contracts a text is. */
export type ContractKind = 'openapi' | 'schema';

/** What people call them. */
export const KIND_NAMES: Record<ContractKind, string> = { openapi: 'an OpenAPI document', schema: 'GraphQL SDL' };

const OPENAPI = /^[ \t{]*["']?openapi["']?[ \t]*:/m;

/** What is taken for a contract and is none, and what to do. */
const OTHERS: readonly (readonly [looks: RegExp, why: string])[] = [
  [/^\s*$/, 'it is empty'],
  [/^\s*<(?:!doctype|html|\?xml)/i, 'it is a page for a browser'],
  [/^[ \t{]*["']?swagger["']?[ \t]*:/m, 'it is in Swagger 2.0, and OpenAPI 3.0 and 3.1 are read: convert it first'],
  [/^(?:datasource|generator)[ \t]+\w+[ \t]*\{/m, 'it is a Prisma schema, which is compared with its whole project'],
  [
    /^\s*\{\s*"(?:data|__schema)"/,
    'it is the answer to an introspection query, which leaves out what directives say: take the SDL',
  ],
];

/** SDL that does not parse has its place told; so it has to be known for what was meant. */
const MEANT = /^(?:extend[ \t]+)?(?:type|interface|input|enum)[ \t]+\w[^:\n]*\{/m;

function isSdl(text: string): boolean {
  try {
    const kinds = parse(text, { noLocation: true }).definitions.map(({ kind }) => kind);
    return kinds.every((kind) => kind !== Kind.OPERATION_DEFINITION && kind !== Kind.FRAGMENT_DEFINITION);
  } catch {
    return MEANT.test(text);
  }
}

/**
 * Which contract a text is: an OpenAPI document says so, SDL by its name or by what it holds.
 * @returns why it is none, as half a sentence
 */
export function contractKind(text: string, name: string): ContractKind | { refused: string } {
  if (OPENAPI.test(text)) return 'openapi';
  const other = OTHERS.find(([looks]) => looks.test(text));
  if (other !== undefined) return { refused: other[1] };
  if (/\.(?:graphqls?|gql)$/.test(name) || isSdl(text)) return 'schema';
  return { refused: 'it is neither an OpenAPI document, which begins with `openapi: 3.…`, nor GraphQL SDL' };
}
