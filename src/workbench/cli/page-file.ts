import { writeFileSync } from 'node:fs';
import { Unable } from 'accord/cli/output';

/** Writes a page that a command made, and says where. Throws Unable where it cannot be written. */
export function writePage(file: string, page: string): void {
  try {
    writeFileSync(file, page);
  } catch (error) {
    throw new Unable(`The page cannot be written: ${(error as Error).message}`);
  }
  console.error(`Written: ${file}`);
}
