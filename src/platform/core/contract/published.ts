import { createHash } from 'node:crypto';
import { buildSchema, introspectionFromSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { type GeneratedContract, readGeneratedContract } from './project-files.js';

/** The published contracts by their addresses, which do not change. */
export const PUBLISHED = {
  '/openapi.yaml': 'openapiYaml',
  '/openapi.json': 'openapiJson',
  '/schema.graphql': 'schemaGraphql',
  '/schema.json': 'schemaJson',
} as const;

/** Both contracts, for the service and for publication. */
export type ServedContracts = Awaited<ReturnType<typeof publishedContracts>>;
export type PublishedContracts = ReturnType<ServedContracts['at']>;

const DIGEST_CHARACTERS = 12;

/** A service without PUBLIC_URL has an edition for each Host of its requests. */
const MAX_EDITIONS = 8;

const DESCRIPTION = 'Where this contract is served.';

/** Returns the `servers` of an edition: its address first, then the others of the contract. */
function serversAt({ servers }: Pick<GeneratedContract, 'servers'>, address: string): { json: string; yaml: string } {
  const others = servers.filter(({ server }) => server.url !== address);
  const all = [{ url: address, description: DESCRIPTION }, ...others.map(({ server }) => server)];
  const url = /^[\w.:/[\]-]+$/.test(address) ? address : JSON.stringify(address);
  const first = `  - url: ${url}\n    description: ${DESCRIPTION}\n`;
  return { json: JSON.stringify(all), yaml: `servers:\n${first}${others.map(({ yaml }) => yaml).join('')}` };
}

/** Returns both contracts of the project, or the given ones. Rejects if `generated/contract.json` is stale. */
export async function publishedContracts(contract: GeneratedContract = readGeneratedContract()) {
  const { openapi, editions } = contract;
  const schemaGraphql = Buffer.from(contract.schema);
  const cache = new LRUCache<string, ReturnType<typeof editionFor>>({ max: MAX_EDITIONS });
  let schemaJson: Buffer | undefined;

  function editionFor(address: string) {
    schemaJson ??= introspectionOf(schemaGraphql.toString());
    const servers = serversAt(contract, address);
    const withServers = ([before, after]: readonly [string, string], text: string) =>
      Buffer.from(before + text + after);
    const documents = {
      openapiYaml: withServers(editions.yaml, servers.yaml),
      openapiJson: withServers(editions.json, servers.json),
      schemaGraphql,
      schemaJson,
    };
    // A digest of all documents, because another version of the service may publish the same contract in another form.
    const digest = createHash('sha256');
    for (const document of Object.values(documents)) digest.update(document);
    return { release: `${openapi.info.version}-${digest.digest('hex').slice(0, DIGEST_CHARACTERS)}`, documents };
  }
  return {
    openapi,
    schemaGraphql,
    /** Returns the published contracts for an address of the service (`https://api.example.com`). Caches the result. */
    at(address: string) {
      const edition = cache.get(address) ?? editionFor(address);
      cache.set(address, edition);
      return edition;
    },
  };
}

/** Returns false for a service without GraphQL. */
export const hasQueries = (sdl: string): boolean => /\btype\s+Query\b|\bschema\b[^{]*\{[^}]*\bquery\s*:/.test(sdl);

/** Returns the result of an introspection query; empty without queries. Throws on an invalid SDL. */
const introspectionOf = (sdl: string): Buffer =>
  Buffer.from(hasQueries(sdl) ? JSON.stringify({ data: introspectionFromSchema(buildSchema(sdl)) }) : '');
