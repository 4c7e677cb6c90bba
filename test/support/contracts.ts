import { filesIn } from '../../src/platform/core/contract/project-files.js';
import { publishedContracts, type ServedContracts } from '../../src/platform/core/contract/published.js';
import { rootPath } from '../../src/platform/root.js';
import { generateContract, openApiOf } from '../../src/workbench/model/openapi-source.js';

/** Reads contracts as a service does after code generation. Rejects if the REST contract is invalid. */
export const contractsFrom = async (openapi: string, sdl?: string): Promise<ServedContracts> =>
  publishedContracts(
    generateContract(openApiOf(openapi, undefined, filesIn(rootPath()))),
    ...(sdl === undefined ? [] : [Buffer.from(sdl)]),
  );
