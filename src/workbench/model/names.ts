/** `updateUser` and `users` as type names: `UpdateUser`, `Users`. */
export const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** The names of all types that an operation may have of its own in `generated/operations.ts`; the first is its handler's. */
export const typeNamesOf = (operationId: string): string[] =>
  ['', 'Request', 'RequestBody', 'Reply'].map((suffix) => pascal(operationId) + suffix);

/** The name of the function of `generated/operations.ts` that takes the handlers of a tag: `usersHandlers`. */
export const takerOf = (tag: string): string => `${tag.charAt(0).toLowerCase()}${tag.slice(1)}Handlers`;

/** The usual names of "how many" in parameters and arguments that page a list, without regard to case and separators. */
export const PAGE_SIZE = /^(limit|count|take|top|first|last|size|per_?page|page_?size|max_?(results|items))$/i;

/** And of "from where". */
export const PAGE_START =
  /^(offset|skip|start|page|page_?(number|token)|after|before|since|cursor|(starting|ending)_?(after|before))$/i;

/** Escapes a text for Markdown, but for what stands between backticks. */
export const prose = (text: string): string =>
  text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part.replaceAll(/[<>|*_[\]]/g, (sign) => `\\${sign}`) : `\`${part}\``))
    .join('');
