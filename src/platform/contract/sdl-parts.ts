import type { ProjectFiles } from './project-files.js';

const WHOLE = 'schema.graphql';
const FOLDER = 'schema';

/** A file of the GraphQL contract. */
export interface SdlPart {
  file: string;
  text: string;
}

/** The files that the GraphQL contract is: `schema.graphql`, and after it all `.graphql` in the folder `schema`, in the order of their names. */
export function sdlParts(files: ProjectFiles): SdlPart[] {
  const named = files.list(FOLDER).filter((path) => path.endsWith('.graphql'));
  return [WHOLE, ...named].flatMap((file) => {
    const text = files.read(file);
    return text === undefined ? [] : [{ file, text }];
  });
}

/** The GraphQL contract as one document: of one file, its text. Throws where there is none. */
export function sdlText(parts: readonly SdlPart[]): string {
  const [first, ...others] = parts;
  if (first === undefined) throw new Error(`There is no ${WHOLE}, and no .graphql in a folder ${FOLDER}.`);
  return others.length === 0 ? first.text : parts.map(({ text }) => `${text.trimEnd()}\n`).join('\n');
}
