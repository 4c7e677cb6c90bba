import { upgradeFromThreeToThreeOne } from '@scalar/openapi-upgrader/3.0-to-3.1';
import { completed } from 'accord/contract/defaults';
import type { OpenApiDocument } from 'accord/contract/document';
import { publicPart } from 'accord/contract/edition';
import { normaliseOpenApi, type Operation, operations } from 'accord/contract/openapi';
import { isObject, keysOf, valueAt } from 'accord/contract/references';
import { FILES } from './files.js';
import { lazily } from './lazily.js';
import { type Finding, type Path, readYaml, type YamlSource } from './yaml-source.js';

/** The least document: what a project without openapi.yaml promises over REST. */
const NOTHING = 'openapi: 3.1.0\ninfo: { title: none, version: 0.0.0 }\npaths: {}\n';

/**
 * The text of openapi.yaml and what it says, each part made when it is first asked for, and once. The keys that lead to a place are
 * those of `written`; the place is where the text says it.
 */
export interface OpenApiSource extends Readonly<Omit<YamlSource, 'value'>> {
  /** Whether the project has none; then it promises nothing, and there is nothing wrong with that. */
  readonly absent: boolean;
  /** The text, parsed and nothing else: what its `x-defaults` say stands there alone. Throws on one that does not parse. */
  readonly authored: unknown;
  /** What is wrong with its `x-defaults`. */
  readonly defaultFaults: readonly Finding[];
  /** The keys by which the text says what has these in `written`. */
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
 */
export function openApiOf(text: string | undefined, file: string = FILES.openapi): OpenApiSource {
  const yaml = lazily(() => readYaml(text ?? NOTHING, file));
  const authored = lazily(() => {
    const { value, errors } = yaml();
    const [first] = errors;
    if (first !== undefined) throw new Error(`${file}:${first.line}:${first.column}  ${first.message}`);
    return value;
  });
  const complete = lazily(() => completed(authored()));
  const written = () => complete().document;
  const originOf = (path: Path): Path =>
    yaml().errors.length > 0 ? path : complete().originOf(followed(written(), path));
  const current = lazily(() => {
    const document = written();
    return publicPart(
      document.openapi.startsWith('3.0.')
        ? (upgradeFromThreeToThreeOne(structuredClone({ ...document })) as unknown as OpenApiDocument)
        : document,
    );
  });
  const document = lazily(() => normaliseOpenApi(written()));
  const all = lazily(() => operations(document()));
  return {
    file,
    text: text ?? '',
    absent: text === undefined,
    get errors() {
      return yaml().errors;
    },
    placeOf: (path, onKey) => yaml().placeOf(originOf(path), onKey),
    problemAt: (finding) => yaml().problemAt({ ...finding, path: originOf(finding.path) }),
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
