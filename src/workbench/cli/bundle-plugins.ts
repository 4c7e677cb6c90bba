import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Plugin } from 'esbuild';

const INSTANCE_OF = /[\\/]graphql[\\/]jsutils[\\/]instanceOf\.m?js$/;
const DEVELOPMENT = /process\.env\.NODE_ENV === 'production'/;

/**
 * Gives the bundle graphql's `instanceOf` as it is in production, whatever NODE_ENV says when the service starts. In development
 * graphql looks at the name of each value's class as well, to tell of a second copy of itself, several times for each field; who
 * runs the service from its sources is still told.
 */
export const graphqlInstances: Plugin = {
  name: 'what a value of graphql is, by its class alone',
  setup({ onLoad }) {
    onLoad({ filter: INSTANCE_OF }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      if (!DEVELOPMENT.test(source)) throw new Error(`${path} does not look at NODE_ENV, as graphql 16 does.`);
      return { contents: source.replace(DEVELOPMENT, 'true') };
    });
  },
};

/** What fastify-openapi-glue holds its table of routes against the schema of OpenAPI with. */
const VALIDATOR = '@seriousme/openapi-schema-validator';
/** The version of our contracts. */
const OPENAPI_VERSION = '3.1';

const require = createRequire(import.meta.url);

/**
 * The schema of OpenAPI as a function in JavaScript, as an ES module: to compile it takes a quarter of a second of every start,
 * and it is the same each time.
 */
async function compiledSchema() {
  const [{ Ajv2020 }, { default: formats }, { default: standalone }] = await Promise.all([
    import('ajv/dist/2020.js'),
    import('ajv-formats'),
    import('ajv/dist/standalone/index.js'),
  ]);
  const ajv = new Ajv2020({ strict: false, code: { source: true, esm: true } });
  formats.default(ajv).addFormat('media-range', true);
  const schema = new URL(`schemas/v${OPENAPI_VERSION}/schema.json`, `file://${require.resolve(VALIDATOR)}`);
  return standalone.default(ajv, ajv.compile(JSON.parse(readFileSync(schema, 'utf8'))));
}

/** Gives the bundle the package with that schema compiled. */
export const openapiSchema: Plugin = {
  name: 'the schema of OpenAPI, compiled',
  setup({ onResolve, onLoad }) {
    const namespace = 'openapi-schema';
    const resolveDir = import.meta.dirname;
    onResolve({ filter: new RegExp(`^${VALIDATOR}$`) }, ({ path, namespace: from }) =>
      from === namespace ? undefined : { path, namespace },
    );
    onResolve({ filter: /^compiled$/, namespace }, ({ path }) => ({ path, namespace }));
    onLoad({ filter: /^compiled$/, namespace }, async () => ({ contents: await compiledSchema(), resolveDir }));
    onLoad({ filter: /./, namespace }, () => ({
      contents: `
        import { Validator as Compiling } from '${VALIDATOR}';
        import holds from 'compiled';
        export class Validator extends Compiling {
          getAjvValidator(version) {
            return version === '${OPENAPI_VERSION}' ? holds : super.getAjvValidator(version);
          }
        }`,
      resolveDir,
    }));
  },
};

const QUERY_COMPILER = /query_compiler_\w+\.postgresql\.wasm-base64\.m?js$/;

/**
 * Gives the bundle Prisma's query compiler as a file beside it. Prisma has it as 4.6 MB of base64 in a module: a text that each
 * start reads and turns into bytes, and that stays in memory.
 */
export const queryCompiler: Plugin = {
  name: 'the query compiler, as bytes',
  setup({ onLoad, onResolve }) {
    const namespace = 'query-compiler';
    onLoad({ filter: QUERY_COMPILER, namespace: 'file' }, ({ path }) => ({
      // Buffer.from, which is given this to decode, takes what valueOf gives.
      contents: `
        import { readFileSync } from 'node:fs';
        import file from ${JSON.stringify(`${path}.wasm`)};
        export const wasm = { valueOf: () => readFileSync(new URL(file, import.meta.url)) };`,
    }));
    onResolve({ filter: /\.wasm$/ }, ({ path }) =>
      QUERY_COMPILER.test(path.slice(0, -5)) ? { path, namespace } : undefined,
    );
    onLoad({ filter: /./, namespace }, ({ path }) => ({ contents: bytesIn(path.slice(0, -5)), loader: 'file' }));
  },
};

/** @param path of the module whose one text it is */
function bytesIn(path: string): Buffer {
  const [, base64] = /"([\w+/=]{1000,})"/.exec(readFileSync(path, 'utf8')) ?? [];
  if (base64 === undefined) throw new Error(`${path} holds no text in base64, which Prisma 7 has there.`);
  return Buffer.from(base64, 'base64');
}
