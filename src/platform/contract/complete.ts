import { completed } from './defaults.js';
import type { OpenApiDocument } from './document.js';
import { parseYaml } from './yaml.js';

/** What the text of a REST contract says, complete. Throws on one that cannot be read. */
export function completeDocument(yaml: string): OpenApiDocument {
  const { document, faults } = completed(parseYaml(yaml));
  const [fault] = faults;
  if (fault !== undefined) throw new Error(`openapi.yaml, at ${fault.path.join('.')}: ${fault.message}`);
  return document;
}
