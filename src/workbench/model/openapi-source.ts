import type { OpenApiDocument } from '@accord-api/platform/contract/document';
import { normaliseOpenApi, type Operation, operations } from '@accord-api/platform/contract/openapi';
import { NO_FILES, type ProjectFiles } from '@accord-api/platform/contract/project-files';
import { isObject, keysOf, valueAt } from '@accord-api/platform/contract/references';
import { upgradeFromThreeToThreeOne } from '@scalar/openapi-upgrader/3.0-to-3.1';
import { completed } from './defaults.js';
import { publicPart } from './edition.js';
import { joined } from './joined.js';
import { lazily } from './lazily.js';
import { elementsOf } from './places.js';
import { FILES, type FileLines, type FilePlace, type Problem } from './problems.js';
import { type Finding, type Path, readYaml, type YamlSource } from './yaml-source.js';

/** The least document: what a project without openapi.yaml promises over REST. */
const NOTHING = 'openapi: 3.1.0\ninfo: { title: none, version: 0.0.0 }\npaths: {}\n';

/**
 * The text of openapi.yaml and what it says, each part made when it is first asked for, and once. The keys that lead to a place are
 * those of `written`; the place is where the text says it.
 */
export interface OpenApiSource {
  /** What it is called, or its first file is. */
  readonly file: string;
  /** Of its first file. */
  readonly text: string;
  /** The texts of all its files, by their paths, as far as they are there. */
  readonly texts: ReadonlyMap<string, string>;
  /** All files that it asks for, be they there or not. */
  readonly files: readonly string[];
  /** What keeps it from being read; then the rest is not to be relied upon. */
  readonly errors: readonly Problem[];
  readonly placeOf: (path: Path, onKey?: boolean) => FilePlace;
  /** Where what has these keys is written; undefined where nothing has. */
  readonly linesOf: (path: Path) => FileLines | undefined;
  readonly problemAt: (finding: Finding) => Problem;
  /** Whether the project has none; then it promises nothing, and there is nothing wrong with that. */
  readonly absent: boolean;
  /** The files as one document and nothing else: what its `x-defaults` say stands there alone. Throws on what cannot be read. */
  readonly authored: unknown;
  /** What is wrong with its `x-defaults`. */
  readonly defaultFaults: readonly Finding[];
  /** The keys by which the authored document says what has these in `written`. */
  readonly originOf: (path: Path) => Path;
  /** With what its `x-defaults` say at each place: references are not followed. Throws on a text that does not parse. */
  readonly written: OpenApiDocument;
  /** What of it concerns those who call, in OpenAPI 3.1 where it is written in 3.0. Throws on a text that does not parse. */
  readonly current: OpenApiDocument;
  /**
   * Normalised: references are followed, but those to schemas. Takes a text that the check has passed; throws on one that
   * does not parse and on a reference that leads nowhere.
   */
  readonly document: OpenApiDocument;
  /** Those of the normalised document. Throws where `x-permission` is missing. */
  readonly operations: readonly Operation[];
}

/** The keys at which what they lead to really stands, once local references on the way are followed (RFC 6901). */
function followed(document: unknown, path: Path): Path {
  let at: Path = [];
  for (const key of path) {
    const node = valueAt(document, at.map(String));
    const reference = isObject(node) && !Object.hasOwn(node, key) ? node['$ref'] : undefined;
    at = [...(typeof reference === 'string' && reference.startsWith('#/') ? keysOf(reference) : at), key];
  }
  return at;
}

/**
 * The model of the text of openapi.yaml; undefined where there is none. Nothing of it is read yet.
 * @param file what it is called in places
 * @param files where the other files of it are
 */
export function openApiOf(
  text: string | undefined,
  file: string = FILES.openapi,
  files: ProjectFiles = NO_FILES,
): OpenApiSource {
  const read = new Map<string, YamlSource | undefined>();
  const fileAt = (path: string): YamlSource | undefined => {
    const known = path === file ? (text ?? NOTHING) : read.has(path) ? undefined : files.read(path);
    if (!read.has(path)) read.set(path, known === undefined ? undefined : readYaml(known, path));
    return read.get(path);
  };
  const first = () => fileAt(file) as YamlSource;
  const whole = lazily(() =>
    joined(file, first().value, {
      contains: files.contains,
      read: (path) => {
        const part = fileAt(path);
        return part && { value: part.value, broken: part.errors.length > 0 };
      },
    }),
  );
  const errors = lazily((): Problem[] => {
    const lost = whole().faults.map(({ file: part, keys, message }) =>
      (fileAt(part) as YamlSource).problemAt({ path: keys, rule: 'file-references', message }),
    );
    return [...[...read.values()].flatMap((part) => part?.errors ?? []), ...lost];
  });
  const authored = lazily(() => {
    const [error] = errors();
    if (error !== undefined) throw new Error(`${error.file}:${error.line}:${error.column}  ${error.message}`);
    return whole().document;
  });
  const complete = lazily(() => completed(authored()));
  const written = () => complete().document;
  const originOf = (path: Path): Path => (errors().length > 0 ? path : complete().originOf(followed(written(), path)));
  const placed = (path: Path, onKey?: boolean) => {
    const { file: part, keys } = whole().spotOf(originOf(path), onKey);
    return { source: fileAt(part) as YamlSource, keys };
  };
  const current = lazily(() => {
    const document = written();
    return publicPart(
      document.openapi.startsWith('3.0.') ? (upgraded({ ...document }) as unknown as OpenApiDocument) : document,
    );
  });
  const document = lazily(() => normaliseOpenApi(written()));
  const all = lazily(() => operations(document()));
  return {
    file,
    text: text ?? '',
    absent: text === undefined,
    get texts() {
      whole();
      return new Map(
        [...read].flatMap(([path, part]) => (part === undefined || text === undefined ? [] : [[path, part.text]])),
      );
    },
    get files() {
      whole();
      return [...read.keys()];
    },
    get errors() {
      return errors();
    },
    placeOf(path, onKey) {
      const { source, keys } = placed(path, onKey);
      return { file: source.file, ...source.placeOf(keys, onKey) };
    },
    linesOf(path) {
      const { source, keys } = placed(path, true);
      const lines = source.linesOf(keys);
      return lines && { file: source.file, ...lines };
    },
    problemAt(finding) {
      const { source, keys } = placed(finding.path, finding.onKey);
      return source.problemAt({ ...finding, path: keys });
    },
    originOf,
    get authored() {
      return authored();
    },
    get defaultFaults() {
      return complete().faults.map((fault) => ({ ...fault, rule: 'defaults' }));
    },
    get written() {
      return written();
    },
    get current() {
      return current();
    },
    get document() {
      return document();
    },
    get operations() {
      return all();
    },
  };
}

/** What the library reads otherwise than OpenAPI 3.0 means it, in words that it does not touch. */
function plainly(document: object): void {
  for (const { kind, object } of elementsOf(document)) {
    // What stands beside a reference is to be ignored (OpenAPI 3.0.3, 4.7.23); a path item may say more.
    if (typeof object.$ref === 'string' && kind !== 'pathItem') {
      for (const key of Object.keys(object)) if (key !== '$ref') delete object[key];
    }
    if (kind !== 'schema') continue;
    if (object.nullable === false) delete object.nullable;
    if (object.type === 'string' && object.format === 'byte') {
      delete object.format;
      object.contentEncoding = 'base64';
    }
  }
}

/** A document of OpenAPI 3.0 in the words of 3.1, for whoever compares what the two say. */
export function upgraded(document: Record<string, unknown>): Record<string, unknown> {
  const copy = structuredClone(document);
  plainly(copy);
  return upgradeFromThreeToThreeOne(copy) as unknown as Record<string, unknown>;
}
