import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type GraphQLSchema, parse, validate } from 'graphql';
import { documentHash } from './documents.js';

/** Texts of documents by their ids. */
type Manifest = Map<string, string>;

/**
 * Reads registered documents: files `.graphql` or `.gql` (one document each, known by its hash), manifests in JSON, or
 * folders of both. A manifest is an object from ids to texts, as graphql-codegen's client preset writes it, or Apollo's
 * operation manifest.
 * @throws Error that names the file and what is wrong with it
 */
export function readTrusted(paths: readonly string[], schema: GraphQLSchema): Manifest {
  const manifest: Manifest = new Map();
  for (const file of paths.flatMap(filesAt)) {
    try {
      for (const [id, text] of documentsIn(file)) {
        const [error] = validate(schema, parse(text));
        if (error) throw error;
        manifest.set(id, text);
      }
    } catch (error) {
      throw new Error(`${file}: ${error instanceof Error ? error.message : error}`, { cause: error });
    }
  }
  return manifest;
}

const isDocument = (name: string) => /\.(graphql|gql)$/.test(name);

/** A file that is named is read whatever it is called; of a folder, what looks like documents and manifests. */
function filesAt(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => isDocument(name) || name.endsWith('.json'))
    .sort()
    .map((name) => join(path, name));
}

function documentsIn(file: string): [id: string, text: string][] {
  const content = readFileSync(file, 'utf8');
  if (isDocument(file)) return [[documentHash(content), content]];
  const json: unknown = JSON.parse(content);
  const { operations } = json as { operations?: { id: string; body: string }[] };
  const entries = Array.isArray(operations)
    ? operations.map(({ id, body }) => [id, body] as const)
    : Object.entries(json as Record<string, string>);
  const wrong = entries.find(([id, text]) => typeof id !== 'string' || typeof text !== 'string');
  if (wrong || typeof json !== 'object' || json === null) throw new Error('is not an object from ids to documents');
  return entries.map(([id, text]) => [id, text]);
}
