import { upgradeFromThreeToThreeOne } from '@scalar/openapi-upgrader/3.0-to-3.1';
import type { OpenApiDocument } from 'accord/contract/document';
import { normaliseOpenApi, type Operation, operations } from 'accord/contract/openapi';
import { FILES } from './files.js';
import { lazily } from './lazily.js';
import { readYaml, type YamlSource } from './yaml-source.js';

/** The least document: what a project without openapi.yaml promises over REST. */
const NOTHING = 'openapi: 3.1.0\ninfo: { title: none, version: 0.0.0 }\npaths: {}\n';

/** The text of openapi.yaml and what it says, each part made when it is first asked for, and once. */
export interface OpenApiSource extends Readonly<Omit<YamlSource, 'value'>> {
  /** Whether the project has none; then it promises nothing, and there is nothing wrong with that. */
  readonly absent: boolean;
  /** As it is written: references are not followed. Throws on a text that does not parse. */
  readonly written: OpenApiDocument;
  /** The same in OpenAPI 3.1, where it is written in 3.0. Throws on a text that does not parse. */
  readonly current: OpenApiDocument;
  /**
   * Normalised: references are followed, but those to schemas. Takes a text that the check has passed; throws on one that
   * does not parse and on a reference that leads nowhere.
   */
  readonly document: OpenApiDocument;
  /** Those of the normalised document. Throws where `x-permission` is missing. */
  readonly operations: readonly Operation[];
}

/**
 * The model of the text of openapi.yaml; undefined where there is none. Nothing of it is read yet.
 * @param file what it is called in places
 */
export function openApiOf(text: string | undefined, file: string = FILES.openapi): OpenApiSource {
  const yaml = lazily(() => readYaml(text ?? NOTHING, file));
  const written = lazily(() => {
    const { value, errors } = yaml();
    const [first] = errors;
    if (first !== undefined) throw new Error(`${file}:${first.line}:${first.column}  ${first.message}`);
    return value as OpenApiDocument;
  });
  const current = lazily(() => {
    const document = written();
    return document.openapi.startsWith('3.0.')
      ? (upgradeFromThreeToThreeOne(structuredClone({ ...document })) as unknown as OpenApiDocument)
      : document;
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
    placeOf: (path, onKey) => yaml().placeOf(path, onKey),
    problemAt: (finding) => yaml().problemAt(finding),
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
