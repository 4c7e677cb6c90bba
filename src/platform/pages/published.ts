import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { buildSchema, introspectionFromSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { OpenApiDocument } from '../contract/document.js';
import { preparedContract } from '../contract/prepared.js';
import { filesIn } from '../contract/project-files.js';
import type { EditionText, OlderText } from '../contract/published-text.js';
import { sdlParts, sdlText } from '../contract/sdl-parts.js';
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
  /** The text of `openapi.yaml`. */
  authored: string;
  /** What it says, complete. */
  openapi: OpenApiDocument;
  schemaGraphql: Buffer;
  /** What is published for those who call the service by an address (`https://api.example.com`). The same each time. */
  at: (address: string) => Promise<PublishedContracts>;
}

/** Characters of a digest. */
const DIGEST = 12;

/** How many addresses' editions are kept: that of the service is one; where it has none, whoever calls says it. */
const KEPT = 8;

/** Both contracts of the project, or these. Rejects on a REST contract that cannot be read. */
export async function publishedContracts(
  openapiYaml: Buffer = readFileSync(rootPath('openapi.yaml')),
  schemaGraphql: Buffer = Buffer.from(sdlText(sdlParts(filesIn(rootPath())))),
): Promise<ServedContracts> {
  const prepared = preparedContract(openapiYaml);
  const openapi =
    prepared?.document ?? (await import('../contract/complete.js')).completeDocument(openapiYaml.toString());
  const editions = new LRUCache<string, Promise<PublishedContracts>>({ max: KEPT });
  let members: EditionText | undefined;
  let older: OlderText | undefined;
  let schemaJson: Buffer | undefined;

  async function editionFor(address: string): Promise<PublishedContracts> {
    const { editionAt, editionText, olderAt, olderText } = await import('../contract/published-text.js');
    members ??= prepared?.edition() ?? editionText(openapi);
    schemaJson ??= introspectionOf(schemaGraphql.toString());
    older ??= prepared?.older() ?? olderText(members);
    const { json, yaml } = editionAt(members, openapi, address);
    const documents = {
      openapiYaml: Buffer.from(yaml),
      openapiJson: Buffer.from(json),
      openapi30Json: Buffer.from(olderAt(older, openapi, address)),
      schemaGraphql,
      schemaJson,
    };
    // Of all of them: another version of the service may make something else of the same contract.
    const digest = createHash('sha256');
    for (const document of Object.values(documents)) digest.update(document);
    return { release: `${openapi.info.version}-${digest.digest('hex').slice(0, DIGEST)}`, documents };
  }
  return {
    authored: openapiYaml.toString(),
    openapi,
    schemaGraphql,
    at(address) {
      const known = editions.get(address);
      if (known !== undefined) return known;
      const edition = editionFor(address);
      editions.set(address, edition);
      // What failed is tried again.
      edition.catch(() => editions.delete(address));
      return edition;
    },
  };
}

/** What an introspection query is answered with. Throws on a text that does not parse. */
const introspectionOf = (sdl: string): Buffer =>
  Buffer.from(JSON.stringify({ data: introspectionFromSchema(buildSchema(sdl)) }));
