import type { OpenApiDocument } from 'accord/contract/document';
import { normaliseOpenApi, type Operation, operations } from 'accord/contract/openapi';
import { FILES } from './files.js';
import { lazily } from './lazily.js';
import { readYaml, type YamlSource } from './yaml-source.js';

/** The text of openapi.yaml and what it says, each part made when it is first asked for, and once. */
export interface OpenApiSource extends Readonly<Omit<YamlSource, 'value'>> {
  /** As it is written: references are not followed. Throws on a text that does not parse. */
  readonly written: OpenApiDocument;
  /**
   * Normalised: references are followed, but those to schemas. Takes a text that the check has passed; throws on one that
   * does not parse and on a reference that leads nowhere.
   */
  readonly document: OpenApiDocument;
  /** Those of the normalised document. Throws where `x-permission` is missing. */
  readonly operations: readonly Operation[];
}

/** The model of the text of openapi.yaml. Nothing of it is read yet. */
export function openApiOf(text: string): OpenApiSource {
  const file = FILES.openapi;
  const yaml = lazily(() => readYaml(text, file));
  const written = lazily(() => {
    const { value, errors } = yaml();
    const [first] = errors;
    if (first !== undefined) throw new Error(`${file}:${first.line}:${first.column}  ${first.message}`);
    return value as OpenApiDocument;
  });
  const document = lazily(() => normaliseOpenApi(written()));
  const all = lazily(() => operations(document()));
  return {
    file,
    text,
    get errors() {
      return yaml().errors;
    },
    placeOf: (path, onKey) => yaml().placeOf(path, onKey),
    problemAt: (finding) => yaml().problemAt(finding),
    get written() {
      return written();
    },
    get document() {
      return document();
    },
    get operations() {
      return all();
    },
  };
}
