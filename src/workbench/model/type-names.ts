/** `updateUser` and `users` as type names: `UpdateUser`, `Users`. */
export const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** The names of all types that an operation may have of its own in `generated/operations.ts`; the first is its handler's. */
export const typeNamesOf = (operationId: string): string[] =>
  ['', 'Request', 'RequestBody', 'Reply'].map((suffix) => pascal(operationId) + suffix);
