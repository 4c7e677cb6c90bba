import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

const MODULE = /[\\/]graphql[\\/]jsutils[\\/]instanceOf\.m?js$/;
const DEVELOPMENT = /process\.env\.NODE_ENV === 'production'/;

/**
 * Gives the bundle graphql's `instanceOf` as it is in production, whatever NODE_ENV says when the service starts. In development
 * graphql looks at the name of each value's class as well, to tell of a second copy of itself, several times for each field; who
 * runs the service from its sources is still told.
 */
export const graphqlInstances: Plugin = {
  name: 'what a value of graphql is, by its class alone',
  setup({ onLoad }) {
    onLoad({ filter: MODULE }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      if (!DEVELOPMENT.test(source)) throw new Error(`${path} does not look at NODE_ENV, as graphql 16 does.`);
      return { contents: source.replace(DEVELOPMENT, 'true') };
    });
  },
};
