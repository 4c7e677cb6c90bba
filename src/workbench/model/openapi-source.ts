import {
  isObject,
  isPlain,
  type Keys,
  keysOf,
  type OpenApiDocument,
  valueAt,
} from '@accord-api/platform/contract/document';
import { normaliseOpenApi, operations, type RestOperation, versionsOf } from '@accord-api/platform/contract/openapi';
import {
  digestOf,
  type GeneratedContract,
  NO_FILES,
  type ProjectFiles,
} from '@accord-api/platform/contract/project-files';
import { upgradeFromThreeToThreeOne } from '@scalar/openapi-upgrader/3.0-to-3.1';
import { type Bundle, bundle } from './bundle.js';
import { applyDefaults, type Completed } from './defaults.js';
import { editionTexts, publicPart, publishedYaml } from './edition.js';
import { elementsOf } from './elements.js';
import { lazy } from './lazy.js';
import { isOfPart, partsIn } from './part-documents.js';
import { FILES, type FilePlace, type Problem, problemAt } from './problems.js';
import { type Finding, readYaml, type YamlSource } from './yaml-source.js';

/** The contract of a project without openapi.yaml: the operations of its parts. */
const EMPTY = 'openapi: 3.1.0\ninfo: { title: The operations of the platform, version: 0.0.0 }\npaths: {}\n';
/** The mechanisms of accounts. The cookie has the name of the project's package. */
const mechanismsOf = (service: string): string =>
  `security: [{ basicAuth: [] }, { opaqueToken: [] }, { jwt: [] }, { cookieAuth: [] }]
components: { securitySchemes: { cookieAuth: { type: apiKey, in: cookie, name: ${service}_access } } }
`;

/** The REST contract. Each part is computed when it is first read. Paths refer to `written`. */
export interface OpenApiSource {
  readonly file: string;
  readonly text: string;
  /** True for a project without a REST contract, which is no error. */
  readonly absent: boolean;
  /** The parts that the project names (`x-parts`), as far as they exist. */
  readonly parts: readonly string[];
  readonly texts: ReadonlyMap<string, string>;
  /** The paths of all files that the contract refers to, existing or not. */
  readonly files: readonly string[];
  /** Syntax errors, and references to files that cannot be followed. The following members throw the first of them. */
  readonly errors: readonly Problem[];
  /** The files as one document, before `x-defaults` apply. */
  readonly authored: unknown;
  readonly defaultFaults: readonly Finding[];
  /** The document after `x-defaults` apply, with its references. */
  readonly written: OpenApiDocument;
  /** The public part of `written` in OpenAPI 3.1. */
  readonly current: OpenApiDocument;
  /** `written` with all references followed, except those to schemas. Throws on a reference that leads nowhere. */
  readonly document: OpenApiDocument;
  /** The operations of `document`. Throws if one has no `x-permission`. */
  readonly operations: readonly RestOperation[];
  /** Returns the path in `authored` of a value of `written`. */
  readonly originOf: (path: Keys) => Keys;
  readonly placeOf: (path: Keys, onKey?: boolean) => FilePlace;
  readonly problemAt: (finding: Finding) => Problem;
}

/** The name of the service in the documents of parts. */
const PART_SERVICE = 'accord_';

/** A schema of a part's document with this member has the versions of the contract as its values. */
const OF_VERSIONS = 'x-versions';

/** What the documents of parts do not know of a contract. */
interface Setting {
  /** The beginning of the names of cookies: `books_` for `books_access`. */
  service: string;
  versions: readonly string[];
}

function settingOf(contract: YamlSource | undefined): Setting {
  const schemes = Object.values(valueAt(contract?.value, ['components', 'securitySchemes']) ?? {}).filter(isPlain);
  const cookies = schemes
    .filter(({ in: place }) => place === 'cookie')
    .map(({ name }) => /^(.+_)access$/.exec(String(name)));
  const paths = valueAt(contract?.value, ['paths']);
  return {
    service: cookies.find((found) => found !== null)?.[1] ?? PART_SERVICE,
    versions: isObject(paths) ? versionsOf({ paths: paths as OpenApiDocument['paths'] }) : [],
  };
}

/** Returns a value of a part's document for a contract. */
function adapted(value: unknown, setting: Setting): unknown {
  if (typeof value === 'string') return value.replaceAll(PART_SERVICE, () => setting.service);
  if (Array.isArray(value)) return value.map((item) => adapted(item, setting));
  if (!isObject(value)) return value;
  const { [OF_VERSIONS]: isOfVersions, ...others } = value;
  const members = Object.entries(others).map(([key, member]) => [key, adapted(member, setting)]);
  const values = isOfVersions === true && setting.versions.length > 0 && { enum: setting.versions };
  return { ...Object.fromEntries(members), ...values };
}

/** Follows local references on the way along a path (RFC 6901). */
function withoutReferences(document: unknown, path: Keys): Keys {
  let at: Keys = [];
  for (const key of path) {
    const node = valueAt(document, at.map(String));
    const reference = isObject(node) && !Object.hasOwn(node, key) ? node['$ref'] : undefined;
    at = [...(typeof reference === 'string' && reference.startsWith('#/') ? keysOf(reference) : at), key];
  }
  return at;
}

const CODEGEN = 'codegen.ts';

/** Finds `export const parts = ['core'];` in codegen.ts, which is not run. */
function partsInCodegen(files: ProjectFiles) {
  const text = files.read(CODEGEN) ?? '';
  const found = /^export const parts\b[^=\n]*= *(\[[^\]]*\]|.*)/m.exec(text);
  if (found === null) return undefined;
  const [{ length }, list = ''] = found;
  const [, name = 'accord'] = /"name": *"(?:@[^/"]*\/)?([a-z\d-]+)"/.exec(files.read('package.json') ?? '') ?? [];
  const place = { line: text.slice(0, found.index).split('\n').length, column: 1, length };
  return {
    ...{ file: CODEGEN, text, list: list.replaceAll('\n', ' '), service: name.replaceAll('-', '_') },
    problemAt: (message: string) =>
      problemAt(CODEGEN, text, place, 'file-references', message.replace('x-parts', '`parts`')),
  };
}

/** Returns the contract of a project without openapi.yaml. Its problems are those of the list in codegen.ts. */
function withoutContract(file: string, named: ReturnType<typeof partsInCodegen>): YamlSource {
  const mechanisms = named?.list.includes('identity') ? mechanismsOf(named.service) : '';
  const source = readYaml(`${EMPTY}${mechanisms}x-parts: ${named?.list ?? '[]'}\n`, file);
  if (named === undefined) return source;
  const errors = source.errors.slice(0, 1).map(() => named.problemAt('`parts` is a list of names.'));
  return { ...source, errors, problemAt: ({ message }) => named.problemAt(message) };
}

/**
 * Creates the model of a REST contract.
 * @param text undefined if the project has none
 * @param file the name of the first file
 * @param files the other files of the contract
 * @param roles of the GraphQL contract
 */
export function openApiOf(
  text: string | undefined,
  file: string = FILES.openapi,
  files: ProjectFiles = NO_FILES,
  roles: () => readonly string[] = () => [],
): OpenApiSource {
  const opened = new Map<string, YamlSource | undefined>();
  const elsewhere = partsInCodegen(files);
  const read = (path: string): YamlSource | undefined => {
    if (!opened.has(path)) {
      const content = path === file ? text : files.read(path);
      const written = content === undefined ? undefined : readYaml(content, path);
      const found = path === file ? (written ?? withoutContract(file, elsewhere)) : written;
      opened.set(
        path,
        found && isOfPart(path) ? { ...found, value: adapted(found.value, settingOf(read(file))) } : found,
      );
    }
    return opened.get(path);
  };
  const source = (path: string) => read(path) as YamlSource;
  const parts: { bundle: Bundle; completed: Completed } = lazy({
    bundle: () => bundle({ first: file, contains: files.contains, read, roles }),
    completed: () => applyDefaults(contract.authored, parts.bundle.ownDefaults),
  });
  const locate = (path: Keys, onKey?: boolean) => {
    const { file: part, keys } = parts.bundle.locationOf(contract.originOf(path), onKey);
    return { source: source(part), keys };
  };

  const contract: OpenApiSource = Object.assign(
    lazy({
      texts: () => {
        const existing = [...contract.files].flatMap((path) => read(path) ?? []);
        const others = text === undefined ? existing.filter((source) => source.file !== file) : existing;
        const named = text === undefined && elsewhere ? [elsewhere] : [];
        return new Map([...named, ...others].map((source) => [source.file, source.text]));
      },
      files: () => parts.bundle && [...opened.keys()],
      parts: () => partsIn(source(file).value).flatMap(({ part }) => part ?? []),
      errors: () => {
        const faults = parts.bundle.faults.map(({ file: part, keys, message }) =>
          source(part).problemAt({ path: keys, rule: 'file-references', message }),
        );
        const twice =
          text === undefined ? [] : (elsewhere?.problemAt(`${file} names the parts: remove this list.`) ?? []);
        return [...[...opened.values()].flatMap((file) => file?.errors ?? []), ...faults].concat(twice);
      },
      authored: () => {
        const [error] = contract.errors;
        if (error !== undefined) throw new Error(`${error.file}:${error.line}:${error.column}  ${error.message}`);
        return parts.bundle.document;
      },
      defaultFaults: () => parts.completed.faults,
      written: () => parts.completed.document,
      current: () => publicPart(upgraded(contract.written)),
      document: () => normaliseOpenApi(contract.written),
      operations: () => operations(contract.document),
    }),
    {
      file,
      text: text ?? '',
      absent: text === undefined,
      originOf: (path: Keys): Keys => {
        if (contract.errors.length > 0) return path;
        return parts.completed.originOf(withoutReferences(contract.written, path));
      },
      placeOf: (path: Keys, onKey?: boolean) => {
        const { source, keys } = locate(path, onKey);
        return { file: source.file, ...source.placeOf(keys, onKey) };
      },
      problemAt: (finding: Finding) => {
        const { source, keys } = locate(finding.path, finding.onKey);
        return source.problemAt({ ...finding, path: keys });
      },
    },
  );
  return contract;
}

/** Returns the parts that a project names. */
export const partsOf = (files: ProjectFiles): readonly string[] =>
  openApiOf(files.read(FILES.openapi), undefined, files).parts;

/** Rewrites what the library converts differently than OpenAPI 3.0 means it. */
function prepareUpgrade(document: OpenApiDocument): void {
  for (const { kind, object } of elementsOf(document)) {
    // Members beside a reference are ignored, except in path items (OpenAPI 3.0.3, 4.7.23).
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

/** Converts a document from OpenAPI 3.0 to 3.1. Returns one in 3.1 as it is. */
function upgraded(document: OpenApiDocument): OpenApiDocument {
  if (!document.openapi.startsWith('3.0.')) return document;
  const copy = structuredClone(document);
  prepareUpgrade(copy);
  return upgradeFromThreeToThreeOne({ ...copy }) as unknown as OpenApiDocument;
}

const HEADER = `# What is published of openapi.yaml, with the address at which it is served as its first server. Generated by \`npm run codegen\`. Do
# not edit: change the contract, and review here what that means for those who call.
`;

/** Returns what a service reads of both contracts. Throws on one that cannot be read. */
export function generateContract(
  openapi: OpenApiSource,
  schema: Pick<OpenApiSource, 'text' | 'texts'>,
): GeneratedContract {
  const [fault] = openapi.defaultFaults.map(openapi.problemAt);
  if (fault !== undefined) throw new Error(`${fault.file}:${fault.line}:${fault.column}  ${fault.message}`);
  const texts = [...openapi.texts, ...schema.texts];
  const sources = Object.fromEntries(texts.map(([path, text]) => [path, digestOf(text)]));
  return { sources, openapi: openapi.written, ...editionTexts(openapi.written), schema: schema.text };
}

/** Returns the text of `generated/openapi.yaml`: the published edition, with the servers of the contract. */
export const generatePublished = ({ written }: OpenApiSource): string => `${HEADER}\n${publishedYaml(written)}`;

const SDL_HEADER =
  '# What is published of schema.graphql. Generated by `npm run codegen`. Do not edit: change the contract.';

/** Returns the text of `generated/schema.graphql`: the complete contract. */
export const generateSdl = ({ text }: { text: string }): string => `${SDL_HEADER}\n\n${text}`;
