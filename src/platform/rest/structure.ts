import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify';
import { Failure } from '../calls/errors.js';
import type { Issues } from '../calls/issues.js';
import type { Operation } from '../contract/openapi.js';
import { bodyIssues, lazily, parameterIssues } from '../http/json-schema.js';
import { structureSchemas } from './validation.js';

const OPTIONAL = Symbol('body may be absent');

const unreadable = (found: Partial<Issues>) => new Failure('BAD_REQUEST', 'The request cannot be read.', found);

/** Fastify's route schema for an operation, which remembers whether a body is needed at all. */
export function routeSchema(operation: Operation) {
  const schemas = structureSchemas(operation);
  const optional = operation.operation.requestBody?.required !== true;
  return schemas.body ? { ...schemas, body: { ...schemas.body, [OPTIONAL]: optional } } : schemas;
}

/** Decides structure, and with it 400: what is wrong, by its place. */
export function structureValidator(ajv: Ajv2020): FastifySchemaCompiler<object> {
  return ({ schema, httpPart }) => {
    const faults = lazily(ajv, () => schema);
    const optional = httpPart === 'body' && (schema as { [OPTIONAL]?: boolean })[OPTIONAL];
    return (data: unknown) => {
      // Fastify passes null for a body that is absent; one that is `null` was refused before.
      const errors = optional && data === null ? undefined : faults(data);
      if (!errors) return true;
      return { error: unreadable(httpPart === 'body' ? bodyIssues(errors) : parameterIssues(errors)) };
    };
  };
}

/** A hook: the body `null` is of the wrong type, also where a body may be absent. */
export function refuseNullBody({ body, route }: FastifyRequest): void {
  if (body !== null || !route.plan?.operation.operation.requestBody) return;
  throw unreadable({ issues: [{ pointer: '', detail: 'must not be null' }] });
}
