import { readFileSync } from 'node:fs';
import { parseYaml } from '../contract/openapi.js';
import { rootPath } from '../root.js';

/** The contracts as the service publishes them: the files of the repository, byte for byte, and the YAML as JSON. */
export function publishedContracts() {
  const openapiYaml = readFileSync(rootPath('openapi.yaml'));
  const openapi: unknown = parseYaml(openapiYaml.toString());
  return {
    /** The parsed document, for use at run time. */
    openapi,
    openapiYaml,
    openapiJson: Buffer.from(JSON.stringify(openapi)),
    schemaGraphql: readFileSync(rootPath('schema.graphql')),
  };
}
