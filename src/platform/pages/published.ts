import { existsSync, readFileSync } from 'node:fs';
import { preparedPath } from '../contract/prepared.js';
import { rootPath } from '../root.js';

/** The contracts as the service publishes them: the files of the project, byte for byte, and the YAML as JSON. */
export async function publishedContracts(
  openapiYaml: Buffer = readFileSync(rootPath('openapi.yaml')),
  schemaGraphql: Buffer = readFileSync(rootPath('schema.graphql')),
) {
  const openapiJson = await asJson(openapiYaml);
  return {
    /** The parsed document, for use at run time. */
    openapi: JSON.parse(openapiJson.toString()) as unknown,
    openapiYaml,
    openapiJson,
    schemaGraphql,
  };
}

async function asJson(yaml: Buffer): Promise<Buffer> {
  if (existsSync(preparedPath(yaml))) return readFileSync(preparedPath(yaml));
  const { parseYaml } = await import('../contract/yaml.js');
  return Buffer.from(JSON.stringify(parseYaml(yaml.toString())));
}
