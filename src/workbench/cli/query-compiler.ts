import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

const MODULE = /query_compiler_\w+\.postgresql\.wasm-base64\.m?js$/;
const namespace = 'query-compiler';

/**
 * Gives the bundle Prisma's query compiler as a file beside it. Prisma has it as 4.6 MB of base64 in a module: a text that each
 * start reads and turns into bytes, and that stays in memory.
 */
export const queryCompiler: Plugin = {
  name: 'the query compiler, as bytes',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: MODULE, namespace: 'file' }, ({ path }) => ({
      // Buffer.from, which is given this to decode, takes what valueOf gives.
      contents: `
        import { readFileSync } from 'node:fs';
        import file from ${JSON.stringify(`${path}.wasm`)};
        export const wasm = { valueOf: () => readFileSync(new URL(file, import.meta.url)) };`,
    }));
    onResolve({ filter: /\.wasm$/ }, ({ path }) => (MODULE.test(path.slice(0, -5)) ? { path, namespace } : undefined));
    onLoad({ filter: /./, namespace }, ({ path }) => ({ contents: bytesIn(path.slice(0, -5)), loader: 'file' }));
  },
};

/** @param path of the module whose one text it is */
function bytesIn(path: string): Buffer {
  const [, base64] = /"([\w+/=]{1000,})"/.exec(readFileSync(path, 'utf8')) ?? [];
  if (base64 === undefined) throw new Error(`${path} holds no text in base64, which Prisma 7 has there.`);
  return Buffer.from(base64, 'base64');
}
