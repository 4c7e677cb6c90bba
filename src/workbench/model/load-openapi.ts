import { parse } from 'yaml';
import type { OpenApiDocument } from '../../platform/contract/document.js';
import { normaliseOpenApi } from '../../platform/contract/openapi.js';

/** By the one reader of YAML (1.2, core schema): what the check has seen is what runs. A date without quotes is text. */
export const parseYaml = (text: string): unknown => parse(text);

/**
 * Reads the text of an OpenAPI document and normalises it.
 * Takes a document that the check has passed; throws on YAML that does not parse and on a reference that leads nowhere.
 */
export const loadOpenApi = (text: string): OpenApiDocument => normaliseOpenApi(parseYaml(text));
