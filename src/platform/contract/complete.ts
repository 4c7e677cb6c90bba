import { rootPath } from '../root.js';
import { completed } from './defaults.js';
import type { OpenApiDocument } from './document.js';
import { joined } from './joined.js';
import { filesIn, type ProjectFiles } from './project-files.js';
import { parseYaml } from './yaml.js';

const CONTRACT = 'openapi.yaml';

/** A contract, and the files that it is written in besides `openapi.yaml`. */
interface Complete {
  document: OpenApiDocument;
  /** Their texts, by their path in the project. */
  parts: Record<string, string>;
}

function parsed(file: string, text: string): unknown {
  try {
    return parseYaml(text);
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`);
  }
}

/**
 * What a REST contract says, complete, with what it refers to in other files. Throws on one that cannot be read.
 * @param yaml the text of `openapi.yaml`
 */
export function completeContract(yaml: string, files: ProjectFiles = filesIn(rootPath())): Complete {
  const parts: Record<string, string> = {};
  const read = (path: string) => {
    const text = files.read(path);
    if (text === undefined) return undefined;
    parts[path] = text;
    return { value: parsed(path, text) };
  };
  const { document: whole, faults: lost } = joined(CONTRACT, parseYaml(yaml), { contains: files.contains, read });
  for (const { file, keys, message } of lost) throw new Error(`${file}, at ${keys.join('.')}: ${message}`);
  const { document, faults } = completed(whole);
  for (const { path, message } of faults) throw new Error(`${CONTRACT}, at ${path.join('.')}: ${message}`);
  return { document, parts };
}

/** What the text of a REST contract says, as `completeContract`. */
export const completeDocument = (yaml: string): OpenApiDocument => completeContract(yaml).document;
