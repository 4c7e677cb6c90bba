import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify';
import type { Schema } from '../contract/document.js';
import { essenceOf } from '../contract/media-types.js';
import type { Operation } from '../contract/openapi.js';
import { structureOf } from '../contract/structure.js';
import { bodyIssues, lazily } from '../http/json-schema.js';
import { type BodyForm, bodyForms } from './request-body.js';
import { unreadable } from './validation.js';

const OPTIONAL = Symbol('body may be absent');

/** Whether all bodies that an operation reads are held to one schema, which then need not be told apart. */
const areAlike = (forms: readonly BodyForm[]): boolean =>
  forms.every(({ kind, schema }) => kind === 'json' && schema === forms[0]?.schema);

/**
 * Fastify's route schema for the body of an operation, which remembers whether one is needed at all. What is no JSON has no
 * structure; parameters, which have to be read first, have a stage of their own.
 */
export function routeSchema(operation: Operation) {
  const optional = operation.operation.requestBody?.required !== true;
  const structure = ({ schema = {} }: BodyForm): Schema => ({ ...structureOf(schema), [OPTIONAL]: optional });
  const forms = bodyForms(operation);
  const [first, ...others] = forms.filter(({ kind }) => kind === 'json');
  if (first === undefined) return {};
  if (areAlike(forms)) return first.schema ? { body: structure(first) } : {};
  const content = [first, ...others].map((form) => [essenceOf(form.type), { schema: structure(form) }] as const);
  return { body: { content: Object.fromEntries(content) } };
}

/** Decides the structure of a body, and with it 400: what is wrong, by its place. */
export function structureValidator(ajv: Ajv2020): FastifySchemaCompiler<Schema> {
  return ({ schema }) => {
    const faults = lazily(ajv, () => schema);
    const optional = (schema as { [OPTIONAL]?: boolean })[OPTIONAL];
    return (data: unknown) => {
      // Fastify passes null for a body that is absent; one that is `null` was refused before.
      const errors = optional && data === null ? undefined : faults(data);
      return errors ? { error: unreadable(bodyIssues(errors)) } : true;
    };
  };
}

/**
 * A hook: the body `null` is of the wrong type, also where a body may be absent. One that must be there and is not is missing, also
 * where the media type, which it lacks too, would say by which schema.
 */
export function refuseNullBody({ body, route }: FastifyRequest): void {
  const operation = route.plan?.operation;
  const requestBody = operation?.operation.requestBody;
  if (!requestBody || (body !== null && body !== undefined)) return;
  if (body === null) throw unreadable({ issues: [{ pointer: '', detail: 'must not be null' }] });
  if (requestBody.required !== true || areAlike(bodyForms(operation))) return;
  throw unreadable({ issues: [{ pointer: '', detail: 'is missing' }] });
}
