import type { OpenApiDocument } from './document.js';
import { publishedEdition, serversAt } from './edition.js';
import { yamlOf } from './yaml.js';

/** The published edition as text, member by member in the order of the document; of `servers` there is none, for each address has its own. */
export type EditionText = { name: string; json: string; yaml: string }[];

/** The text of a member. */
const textOf = (name: string, value: unknown): EditionText[number] => ({
  name,
  json: `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  yaml: yamlOf({ [name]: value }),
});

const SERVERS = 'servers';

/** @param document complete (`completed`) */
export function editionText(document: OpenApiDocument): EditionText {
  const { openapi, info, servers: _servers, ...others } = publishedEdition(document);
  return Object.entries({ openapi, info, [SERVERS]: [], ...others }).map(([name, value]) => textOf(name, value));
}

const joined = (members: EditionText) => ({
  json: `{${members.map(({ json }) => json).join(',')}}`,
  yaml: members.map(({ yaml }) => yaml).join('\n'),
});

/** The whole published edition, with these servers. */
export const withServers = (members: EditionText, servers: OpenApiDocument['servers']) =>
  joined(members.map((one) => (one.name === SERVERS ? textOf(SERVERS, servers ?? []) : one)));

/** The whole published edition as it is served at an address. */
export const editionAt = (members: EditionText, document: OpenApiDocument, address: string) =>
  withServers(members, serversAt(document, address));
