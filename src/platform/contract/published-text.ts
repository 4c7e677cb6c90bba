import type { OpenApiDocument } from './document.js';
import { publishedEdition, serversAt } from './edition.js';
import { openApi30 } from './openapi-3.0.js';
import { yamlOf } from './yaml.js';

/** The published edition as text, member by member in the order of the document; of `servers` there is none, for each address has its own. */
export type EditionText = { name: string; json: string; yaml: string }[];

/** The same in OpenAPI 3.0, as JSON. */
export type OlderText = Omit<EditionText[number], 'yaml'>[];

const jsonText = (name: string, value: unknown): OlderText[number] => ({
  name,
  json: `${JSON.stringify(name)}:${JSON.stringify(value)}`,
});

/** The text of a member. */
const textOf = (name: string, value: unknown): EditionText[number] => ({
  ...jsonText(name, value),
  yaml: yamlOf({ [name]: value }),
});

const SERVERS = 'servers';

/** @param document complete (`completed`) */
export function editionText(document: OpenApiDocument): EditionText {
  const { openapi, info, servers: _servers, ...others } = publishedEdition(document);
  return Object.entries({ openapi, info, [SERVERS]: [], ...others }).map(([name, value]) => textOf(name, value));
}

const jsonOf = (members: { json: string }[]): string => `{${members.map(({ json }) => json).join(',')}}`;

const joined = (members: EditionText) => ({
  json: jsonOf(members),
  yaml: members.map(({ yaml }) => yaml).join('\n'),
});

/** The whole published edition, with these servers. */
export const withServers = (members: EditionText, servers: OpenApiDocument['servers']) =>
  joined(members.map((one) => (one.name === SERVERS ? textOf(SERVERS, servers ?? []) : one)));

/** The whole published edition as it is served at an address. */
export const editionAt = (members: EditionText, document: OpenApiDocument, address: string) =>
  withServers(members, serversAt(document, address));

/** The published edition told in OpenAPI 3.0 (`openApi30`). */
export const olderText = (members: EditionText): OlderText =>
  Object.entries(openApi30(JSON.parse(jsonOf(members)))).map(([name, value]) => jsonText(name, value));

/** The whole of it as it is served at an address, as JSON. */
export const olderAt = (members: OlderText, document: OpenApiDocument, address: string): string =>
  jsonOf(members.map((one) => (one.name === SERVERS ? jsonText(SERVERS, serversAt(document, address)) : one)));
