export const pascalCase = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Returns the name of the function in `generated/operations.ts` that checks the handlers of a tag: `usersHandlers`. */
export const handlersFunctionOf = (tag: string): string => `${tag.charAt(0).toLowerCase()}${tag.slice(1)}Handlers`;

export const PAGE_SIZE = /^(limit|count|take|top|first|last|size|per_?page|page_?size|max_?(results|items))$/i;

export const PAGE_START =
  /^(offset|skip|start|page|page_?(number|token)|after|before|since|cursor|(starting|ending)_?(after|before))$/i;

/** Escapes a text for Markdown, except between backticks. */
export const escapeMarkdown = (text: string): string =>
  text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part.replaceAll(/[<>|*_[\]]/g, (sign) => `\\${sign}`) : `\`${part}\``))
    .join('');
