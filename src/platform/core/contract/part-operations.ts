import type { PartName } from '../order.js';
import type { OpenApiDocument } from './document.js';
import { placeOf } from './project-files.js';
import { PUBLISHED } from './published.js';

/**
 * The operations that a part answers if `x-parts` of the contract names it, by operationId, and the fields of GraphQL, as `Type.field`. An
 * application may answer them itself.
 */
export const OPERATIONS_OF = {
  identity: [
    'login',
    'refreshSession',
    'logout',
    'listSessions',
    'revokeOtherSessions',
    'revokeSession',
    'changePassword',
    'getJwks',
    'Query.me',
    'User.role',
  ],
  observability: ['getLiveness', 'getReadiness', 'getMetrics'],
} as const satisfies Partial<Record<PartName, readonly string[]>>;

export type AnsweringPart = keyof typeof OPERATIONS_OF;
export type OperationOf<Name> = Name extends AnsweringPart ? (typeof OPERATIONS_OF)[Name][number] : never;

/** Returns the operations and fields that the platform answers: the operations of the parts that a contract names, and its publication. */
export const platformOperations = ({ paths, 'x-parts': parts = [] }: OpenApiDocument): ReadonlySet<string> =>
  new Set([
    ...parts.flatMap((part): readonly string[] => OPERATIONS_OF[part as AnsweringPart] ?? []),
    ...Object.keys(PUBLISHED).flatMap((path) => paths[path]?.get?.operationId ?? []),
  ]);

/**
 * @param operation an operationId, or `Query.books`
 * @throws Error for an operation or field of the contract that neither the application nor a part answers
 */
export function refuseUnanswered(operation: string, where: string): never {
  const file = operation.includes('.') ? 'schema.graphql' : 'openapi.yaml';
  const place = placeOf(file, new RegExp(`^ *operationId: ["']?${operation}\\b`));
  const part = Object.entries(OPERATIONS_OF).find(([, names]: [string, readonly string[]]) =>
    names.includes(operation),
  );
  const remedy = part === undefined ? '' : `, or name ${part[0]} in \`x-parts\` of openapi.yaml`;
  throw new Error(`${file}${place}: nothing answers ${operation}. Write it in ${where}${remedy}.`);
}
