import type { Parameter, Schema } from '@accord-api/platform/internals/contract/document';
import type { Operation } from '@accord-api/platform/internals/contract/openapi';
import { parameterForm, schemaOf } from '@accord-api/platform/internals/contract/parameter-form';
import { laidOpen } from '@accord-api/platform/internals/contract/schemas';
import { bodyForms } from '@accord-api/platform/internals/rest/request-body';

/** Nothing in a contract has this name. */
export const UNKNOWN = 'accord_unknown';

/** Of the body that is sent: the first that the contract has. */
export const bodySchema = (operation: Operation): Schema => laidOpen(bodyForms(operation)[0]?.schema ?? {});
/** A member of a body, and a value of its type that its schema refuses; undefined where no member can be wrong so. */
export function constrained(operation: Operation): [name: string, value: unknown] | undefined {
  const wrong = Object.entries(bodySchema(operation).properties ?? {}).map(([name, schema]): [string, unknown] => {
    const { type, enum: values, minLength, minimum } = (typeof schema === 'boolean' ? {} : schema) as Schema;
    if (type === 'string' && values) return [name, UNKNOWN];
    if (type === 'string' && Number(minLength) > 0) return [name, ''];
    return [name, type === 'integer' && minimum !== undefined ? Number(minimum) - 1 : undefined];
  });
  return wrong.find(([, value]) => value !== undefined);
}

/** A text that its schema refuses. */
export const tooLong = (operation: Operation): string | undefined => {
  const { type, maxLength } = bodySchema(operation);
  return type === 'string' && maxLength !== undefined ? 'x'.repeat(Number(maxLength) + 1) : undefined;
};

const queryOf = ({ operation }: Operation) =>
  operation.parameters.filter((one) => one.in === 'query' && one.name !== 'version');

/** A parameter of a query that not every text can be read as. */
export const typed = (operation: Operation): Parameter | undefined =>
  queryOf(operation).find((one) => {
    const form = parameterForm(one);
    const types = form.kind === 'scalar' ? form.types : form.kind === 'list' ? form.items : ['string'];
    return !types.includes('string');
  });

/** A parameter of a query, and a value of its type that its schema refuses. `limit` has a fault of its own. */
export function bounded(operation: Operation): [name: string, value: unknown] | undefined {
  const wrong = queryOf(operation).map((one): [string, unknown] => {
    const form = parameterForm(one);
    const whole = laidOpen(schemaOf(one));
    const isList = form.kind === 'list' && typeof whole.items === 'object';
    const types = form.kind === 'scalar' ? form.types : isList ? form.items : [];
    const { enum: values, minimum } = isList ? laidOpen(whole.items as Schema, whole) : whole;
    const value = values && types.includes('string') ? UNKNOWN : undefined;
    const low = minimum !== undefined && types.join() === 'integer' ? Number(minimum) - 1 : undefined;
    return [one.name, one.name === 'limit' ? undefined : (value ?? low)];
  });
  return wrong.find(([, value]) => value !== undefined);
}
