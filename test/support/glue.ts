import { Validator } from '@seriousme/openapi-schema-validator';

/**
 * fastify-openapi-glue holds the table of routes against the schema of OpenAPI, which it compiles anew at each start of a
 * service: here once in a process.
 */
const compiled = new Map<string, unknown>();
const prototype = Validator.prototype as unknown as { getAjvValidator: (version: string) => unknown };
const { getAjvValidator } = prototype;
prototype.getAjvValidator = function (version) {
  if (!compiled.has(version)) compiled.set(version, getAjvValidator.call(this, version));
  return compiled.get(version);
};
