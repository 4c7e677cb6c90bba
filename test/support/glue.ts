import { Validator } from '@seriousme/openapi-schema-validator';

/** Compiles the OpenAPI schema of fastify-openapi-glue once per process instead of at each start of a service. */
const compiled = new Map<string, unknown>();
const prototype = Validator.prototype as unknown as { getAjvValidator: (version: string) => unknown };
const { getAjvValidator } = prototype;
prototype.getAjvValidator = function (version) {
  if (!compiled.has(version)) compiled.set(version, getAjvValidator.call(this, version));
  return compiled.get(version);
};
