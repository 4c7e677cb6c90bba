import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { relative } from 'node:path';

/** What biome makes of a text: formatted, imports sorted. Undefined when it cannot read it. */
async function formatted(root: string, path: string, text: string): Promise<string | undefined> {
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
  const options = ['check', '--write', '--linter-enabled=false', `--stdin-file-path=${relative(root, path)}`];
  const child = spawn(process.execPath, [biome, ...options], { cwd: root, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.end(text);
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
  const output = Buffer.concat(chunks).toString();
  return output === '' ? undefined : output;
}

/**
 * A changed text as the project formats it. One that was not formatted before stays as it is, so that nothing changes but
 * what has to.
 * @param before undefined for a new file
 */
export async function format(root: string, path: string, before: string | undefined, text: string): Promise<string> {
  const [old, current] = await Promise.all([before && formatted(root, path, before), formatted(root, path, text)]);
  return current === undefined || old !== before ? text : current;
}
