import { application } from '../../src/application/application.js';
import { variables } from '../../src/application/variables.js';
import { type AppOptions, buildApp } from '../../src/platform/app.js';
import { type Config, variables as platformVariables, readConfig } from '../../src/platform/server/config.js';

/** The variables of the environment, the platform's and those of the example: name, type, default and what each is for. */
export const exampleVariables: Record<string, { default?: unknown; description?: string }> = {
  ...platformVariables.properties,
  ...variables,
};

/** The configuration of the example in an environment. */
export const exampleConfig = (environment: NodeJS.ProcessEnv, warn?: (sentence: string) => void): Config =>
  readConfig(environment, variables, warn);

/** The example as an app that does not listen yet. */
export const exampleApp = (environment: NodeJS.ProcessEnv, options: AppOptions) =>
  buildApp(application, exampleConfig(environment), options);
