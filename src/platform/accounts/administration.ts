import { type AuditFilter, COMMAND_LINE, readAudit } from '../audit/audit.js';
import { keyAdministration } from '../keys/key-administration.js';
import type { StoredKeysOptions } from '../keys/signing-keys.js';

export type Administration = ReturnType<typeof administration>;

/**
 * Returns the operator's commands, by name: the same at the command line and through the socket of a running server. Arguments and
 * results are JSON.
 */
export function administration(options: StoredKeysOptions) {
  const keys = keyAdministration(options);
  return {
    'keys.list': (_args: object) => keys.list(),
    'keys.rotate': (_args: object) => keys.rotate(COMMAND_LINE),
    'keys.retire': ({ kid }: { kid: string }) => keys.retire(COMMAND_LINE, kid),
    'keys.secrets': (_args: object) => keys.secrets(),
    'audit.read': (filter: AuditFilter) => readAudit(options.client, filter),
  };
}
