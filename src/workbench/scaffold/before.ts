import { contractsIn } from '../model/contracts.js';
import { filesAt } from '../model/git.js';
import { importTypeScript } from '../model/typescript-module.js';
import { objectTypes, type Types } from './object-types.js';

export interface Request {
  method: string;
  path: string;
}

/** What the contracts were, by which a name that is gone can be recognised under its new one. */
export interface Before {
  /** The requests that an operationId has stood for; none when it never was one. */
  requests: (operationId: string) => Request[];
  /** The object types of the committed SDL; undefined where nothing is committed. */
  types: Types | undefined;
}

/** Reads a contract, unless there is none or it was never sound. */
function attempt<Source extends { absent: boolean }, Read>(
  source: Source,
  read: (source: Source) => Read,
): Read | undefined {
  try {
    return source.absent ? undefined : read(source);
  } catch {
    return undefined;
  }
}

/** The requests as they were generated last, whether or not they were committed. */
async function generatedRequests(root: string): Promise<Record<string, Request>> {
  // None where nothing has been generated yet.
  const module = await importTypeScript(root, 'generated/operations.ts').catch(() => undefined);
  return (module?.['operations'] ?? {}) as Record<string, Request>;
}

/** Reads what the contracts were: call it before anything is generated anew. */
export async function readBefore(root: string): Promise<Before> {
  const generated = await generatedRequests(root);
  const { openapi, schema } = contractsIn(filesAt(root, 'HEAD'));
  const known = attempt(openapi, ({ operations }) => operations) ?? [];
  return {
    requests: (operationId) => {
      const last = Object.hasOwn(generated, operationId) ? generated[operationId] : undefined;
      return [...(last ? [last] : []), ...known.filter((one) => one.operationId === operationId)];
    },
    types: attempt(schema, objectTypes),
  };
}
