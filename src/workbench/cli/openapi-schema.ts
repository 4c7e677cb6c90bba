import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Plugin } from 'esbuild';

/** What fastify-openapi-glue holds its table of routes against the schema of OpenAPI with. */
const PACKAGE = '@seriousme/openapi-schema-validator';
/** The version of our contracts. */
const VERSION = '3.1';

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
  const schema = new URL(`schemas/v${VERSION}/schema.json`, `file://${require.resolve(PACKAGE)}`);
  return standalone.default(ajv, ajv.compile(JSON.parse(readFileSync(schema, 'utf8'))));
}

/** Gives the bundle the package with that schema compiled. */
export const openapiSchema: Plugin = {
  name: 'the schema of OpenAPI, compiled',
  setup({ onResolve, onLoad }) {
    const namespace = 'openapi-schema';
    const resolveDir = import.meta.dirname;
    onResolve({ filter: new RegExp(`^${PACKAGE}$`) }, ({ path, namespace: from }) =>
      from === namespace ? undefined : { path, namespace },
    );
    onResolve({ filter: /^compiled$/, namespace }, ({ path }) => ({ path, namespace }));
    onLoad({ filter: /^compiled$/, namespace }, async () => ({ contents: await compiledSchema(), resolveDir }));
    onLoad({ filter: /./, namespace }, () => ({
      contents: `
        import { Validator as Compiling } from '${PACKAGE}';
        import holds from 'compiled';
        export class Validator extends Compiling {
          getAjvValidator(version) {
            return version === '${VERSION}' ? holds : super.getAjvValidator(version);
          }
        }`,
      resolveDir,
    }));
  },
};
