import { filesIn } from '../../src/platform/core/contract/project-files.js';
import { publishedContracts, type ServedContracts } from '../../src/platform/core/contract/published.js';
import { rootPath } from '../../src/platform/root.js';
import { contractsOf } from '../../src/workbench/model/contracts.js';
import { generateContract } from '../../src/workbench/model/openapi-source.js';
import { sdlIn } from '../../src/workbench/model/sdl-source.js';

/** Reads contracts as a service does after code generation: by default the SDL of the project. Rejects if the REST contract is invalid. */
export async function contractsFrom(openapi: string, sdl?: string): Promise<ServedContracts> {
  const contracts = contractsOf({ openapi, schema: sdl || undefined }, undefined, filesIn(rootPath()));
  const schema = sdl === undefined ? sdlIn(rootPath()) : contracts.schema;
  return publishedContracts(generateContract(contracts.openapi, schema));
}
