import { createHash } from 'node:crypto';
import { buildSchema, introspectionFromSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { OpenApiDocument } from '../contract/document.js';
import { type GeneratedContract, readGeneratedContract } from '../contract/generated.js';
import { filesIn, sdlParts, sdlText } from '../contract/project-files.js';
import { rootPath } from '../root.js';

/** The contracts as they are published at an address. */
export interface PublishedContracts {
  /** The version that the REST contract gives itself, and a digest of all that is published here. */
  release: string;
  documents: {
    openapiYaml: Buffer;
    openapiJson: Buffer;
    /** The same for tools that take no newer OpenAPI than 3.0. */
    openapi30Json: Buffer;
    schemaGraphql: Buffer;
    /** The result of an introspection query. */
    schemaJson: Buffer;
  };
}

/** Where they are published: addresses that do not change. */
export const CONTRACT_PATHS: ReadonlySet<string> = new Set([
  '/openapi.yaml',
  '/openapi.json',
  '/openapi-3.0.json',
  '/schema.graphql',
  '/schema.json',
]);

/** Both contracts: to be served, and to be published. */
export interface ServedContracts {
  /** The complete document of the REST contract. */
  openapi: OpenApiDocument;
  schemaGraphql: Buffer;
  /** Returns what is published for those who call the service by an address (`https://api.example.com`). The same each time. */
  at: (address: string) => PublishedContracts;
}

/** Characters of a digest. */
const DIGEST_LENGTH = 12;

/** Addresses whose editions are kept. The service has one; without it, each request names its own. */
const MAX_EDITIONS = 8;

const DESCRIPTION = 'Where this contract is served.';

/** Returns the servers of the published edition at an address: that one first, then the others of the contract. */
function serversAt({ servers }: Pick<GeneratedContract, 'servers'>, address: string): { json: string; yaml: string } {
  const others = servers.filter(({ server }) => server.url !== address);
  const all = [{ url: address, description: DESCRIPTION }, ...others.map(({ server }) => server)];
  const url = /^[\w.:/[\]-]+$/.test(address) ? address : JSON.stringify(address);
  const first = `  - url: ${url}\n    description: ${DESCRIPTION}\n`;
  return { json: JSON.stringify(all), yaml: `servers:\n${first}${others.map(({ yaml }) => yaml).join('')}` };
}

/** Returns both contracts of the project, or these. Rejects if `generated/contract.json` is not that of the contract. */
export async function publishedContracts(
  contract: GeneratedContract = readGeneratedContract(),
  schemaGraphql: Buffer = Buffer.from(sdlText(sdlParts(filesIn(rootPath())))),
): Promise<ServedContracts> {
  const { openapi, editions } = contract;
  const known = new LRUCache<string, PublishedContracts>({ max: MAX_EDITIONS });
  let schemaJson: Buffer | undefined;

  function editionFor(address: string): PublishedContracts {
    schemaJson ??= introspectionOf(schemaGraphql.toString());
    const servers = serversAt(contract, address);
    const withServers = ([before, after]: readonly [string, string], text: string) =>
      Buffer.from(before + text + after);
    const documents = {
      openapiYaml: withServers(editions.yaml, servers.yaml),
      openapiJson: withServers(editions.json, servers.json),
      openapi30Json: withServers(editions.json30, servers.json),
      schemaGraphql,
      schemaJson,
    };
    // A digest of all documents, because another version of the service may publish the same contract in another form.
    const digest = createHash('sha256');
    for (const document of Object.values(documents)) digest.update(document);
    return { release: `${openapi.info.version}-${digest.digest('hex').slice(0, DIGEST_LENGTH)}`, documents };
  }
  return {
    openapi,
    schemaGraphql,
    at(address) {
      const edition = known.get(address) ?? editionFor(address);
      known.set(address, edition);
      return edition;
    },
  };
}

/** What an introspection query is answered with. Throws on a text that does not parse. */
const introspectionOf = (sdl: string): Buffer =>
  Buffer.from(JSON.stringify({ data: introspectionFromSchema(buildSchema(sdl)) }));
