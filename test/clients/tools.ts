/** A generator of clients. The program of the same name in `consumers/` uses the client. */
export interface ClientTool {
  over: 'rest' | 'graphql';
  /** The command without options, for a folder of its own. */
  command: (url: string) => [string, ...string[]];
  /** The required configuration: the paths of the contract and of the client. */
  files?: (url: string) => Record<string, string | object>;
  /** Files with contracts, for tools that read no address: paths of the service by file name. */
  fetched?: Record<string, string>;
  /** The file for its output. */
  printed?: string;
  /** True if its program logs in, pages, creates, and reads a failure. Other programs page, and read their own account. */
  whole?: true;
}

/** Tools in the dependencies of the project. */
export const SHORT = {
  'openapi-fetch': {
    whole: true,
    over: 'rest',
    command: (url) => ['openapi-typescript', `${url}/openapi.yaml`, '-o', 'api.d.ts'],
  },
  'graphql-codegen': {
    whole: true,
    over: 'graphql',
    command: () => ['graphql-codegen'],
    files: clientPreset,
  },
} as const satisfies Record<string, ClientTool>;

/** Tools in `consumers/package.json`, which only this test installs. */
export const LONG = {
  'hey-api': {
    whole: true,
    over: 'rest',
    command: (url) => ['openapi-ts', '-i', `${url}/openapi.json`, '-o', 'client'],
  },
  orval: {
    whole: true,
    over: 'rest',
    command: (url) => ['orval', '--input', `${url}/openapi.json`, '--output', 'api.ts'],
  },
  'swagger-typescript-api': {
    over: 'rest',
    command: (url) => ['swagger-typescript-api', 'generate', '-p', `${url}/openapi.json`, '-o', '.'],
  },
  'openapi-client-axios': {
    over: 'rest',
    command: (url) => ['typegen', `${url}/openapi.json`],
    printed: 'client.d.ts',
  },
  kubb: {
    over: 'rest',
    command: () => ['kubb', 'generate'],
    files: (url) => ({
      'kubb.config.mjs': `
        import { defineConfig } from '@kubb/core';
        import { pluginClient } from '@kubb/plugin-client';
        import { pluginOas } from '@kubb/plugin-oas';
        import { pluginTs } from '@kubb/plugin-ts';
        export default defineConfig({
          input: { path: '${url}/openapi.json' },
          output: { path: 'client' },
          plugins: [pluginOas(), pluginTs(), pluginClient()],
        });`,
    }),
  },
  oazapfts: { over: 'rest', command: (url) => ['oazapfts', `${url}/openapi.json`, 'api.ts'] },
  // It has no types for failures, because it ignores application/problem+json.
  'openapi-zod-client': {
    over: 'rest',
    command: (url) => ['openapi-zod-client', `${url}/openapi.json`, '-o', 'api.ts'],
  },
  'rtk-query': {
    over: 'rest',
    command: () => ['rtk-query-codegen-openapi', 'codegen.json'],
    files: (url) => ({
      'codegen.json': {
        schemaFile: `${url}/openapi.json`,
        apiFile: './base.ts',
        apiImport: 'base',
        outputFile: 'api.ts',
      },
      'base.ts': `
        import { createApi, type FetchBaseQueryArgs, fetchBaseQuery } from '@reduxjs/toolkit/query';
        export const base = createApi({
          baseQuery: (args: Parameters<ReturnType<typeof fetchBaseQuery>>[0], api, more: object) =>
            fetchBaseQuery(api.extra as FetchBaseQueryArgs)(args, api, more),
          endpoints: () => ({}),
        });`,
    }),
  },
  'apollo-client': { over: 'graphql', command: () => ['graphql-codegen'], files: clientPreset },
  'gql.tada': {
    over: 'graphql',
    command: () => ['gql.tada', 'generate-output'],
    files: (url) => ({
      'tsconfig.json': {
        compilerOptions: {
          strict: true,
          plugins: [{ name: 'gql.tada/ts-plugin', schema: `${url}/graphql`, tadaOutputLocation: 'graphql-env.d.ts' }],
        },
      },
    }),
  },
  genql: { over: 'graphql', command: (url) => ['genql', '--endpoint', `${url}/graphql`, '--output', 'client'] },
  relay: {
    over: 'graphql',
    command: () => ['relay-compiler'],
    files: () => ({ 'relay.config.json': { src: '.', schema: 'schema.graphql', language: 'typescript' } }),
    fetched: { 'schema.graphql': '/schema.graphql' },
  },
} as const satisfies Record<string, ClientTool>;

/** The client preset of GraphQL Code Generator, for whichever client runs its documents. */
function clientPreset(url: string) {
  return {
    'codegen.json': {
      schema: `${url}/schema.graphql`,
      documents: 'program.ts',
      generates: { 'gql/': { preset: 'client' } },
    },
  };
}
