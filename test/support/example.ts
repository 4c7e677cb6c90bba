import { application } from '../../src/application/application.js';
import { variables } from '../../src/application/variables.js';
import type { Config } from '../../src/platform/core/variables.js';
import { variables as platformVariables } from '../../src/platform/core/variables.js';
import { type AppOptions, buildApp } from '../../src/platform/server/app.js';
import { readConfig } from '../../src/platform/server/config.js';

/** The environment variables of the platform and of the example. */
export const exampleVariables: Record<string, { default?: unknown; description?: string; writeOnly?: boolean }> = {
  ...platformVariables.properties,
  ...variables,
};

/** Reads the configuration of the example from an environment. */
export const exampleConfig = (environment: NodeJS.ProcessEnv, warn?: (sentence: string) => void): Config =>
  readConfig(environment, variables, warn);

/** Builds the example without listening. */
export const exampleApp = (environment: NodeJS.ProcessEnv, options: AppOptions) =>
  buildApp(application, exampleConfig(environment), options);
