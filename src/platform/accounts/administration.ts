import { type AuditEntry, type AuditFilter, COMMAND_LINE, readAudit } from '../audit/audit.js';
import { type KeyEntry, keyAdministration } from '../keys/key-administration.js';
import { type SecretUse, secretUse } from '../keys/secret-use.js';
import type { StoredKeysOptions } from '../keys/signing-keys.js';

/**
 * What an operator can command, by name: the same at the command line and through the running server's socket. Arguments
 * and results are JSON.
 */
export interface Administration {
  'keys.list': (args: object) => Promise<KeyEntry[]>;
  'keys.rotate': (args: object) => Promise<KeyEntry[]>;
  'keys.retire': (args: { kid: string }) => Promise<KeyEntry[]>;
  'keys.secrets': (args: object) => Promise<SecretUse[]>;
  'audit.read': (args: AuditFilter) => Promise<AuditEntry[]>;
}

export function administration(options: StoredKeysOptions): Administration {
  const keys = keyAdministration(options);
  return {
    'keys.list': () => keys.list(),
    'keys.rotate': () => keys.rotate(COMMAND_LINE),
    'keys.retire': ({ kid }) => keys.retire(COMMAND_LINE, kid),
    'keys.secrets': () => secretUse(options),
    'audit.read': (filter) => readAudit(options.client, filter),
  };
}
