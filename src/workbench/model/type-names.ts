/** `updateUser` and `users` as type names: `UpdateUser`, `Users`. */
export const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** The names of all types that an operation may have of its own in `generated/operations.ts`; the first is its handler's. */
export const typeNamesOf = (operationId: string): string[] =>
  ['', 'Request', 'RequestBody', 'Reply'].map((suffix) => pascal(operationId) + suffix);

/** The name of the function of `generated/operations.ts` that takes the handlers of a tag: `usersHandlers`. */
export const takerOf = (tag: string): string => `${tag.charAt(0).toLowerCase()}${tag.slice(1)}Handlers`;
