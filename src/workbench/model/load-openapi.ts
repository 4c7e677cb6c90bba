import type { OpenApiDocument } from '../../platform/contract/document.js';
import { normaliseOpenApi } from '../../platform/contract/openapi.js';
import { parseYaml } from '../../platform/contract/yaml.js';

/**
 * Reads the text of an OpenAPI document and normalises it.
 * Takes a document that the check has passed; throws on YAML that does not parse and on a reference that leads nowhere.
 */
export const loadOpenApi = (text: string): OpenApiDocument => normaliseOpenApi(parseYaml(text));
