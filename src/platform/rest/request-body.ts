import { type BodyKind, declaredFor, kindOf, type Schema } from '../contract/document.js';
import type { Operation } from '../contract/openapi.js';

/** A body that an operation reads. */
export interface BodyForm {
  /** The media type, or a range of them, as the contract declares it. */
  type: string;
  kind: BodyKind;
  /** Undefined for a stream, which is not read before the handler. */
  schema: Schema | undefined;
}

/** Returns the bodies that an operation reads, in the contract's order. */
export const bodyForms = ({ operation }: Operation): BodyForm[] =>
  Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema }]) => {
    const kind = kindOf(type);
    return { type, kind, schema: kind === 'stream' ? undefined : schema };
  });

/** Returns a function that finds the form of a body by the `Content-Type`; undefined for a body that the operation does not read. */
export function bodyFormFor(operation: Operation): (contentType: string) => BodyForm | undefined {
  const forms = new Map(bodyForms(operation).map((form) => [form.type, form]));
  const declared = [...forms.keys()];
  return (contentType) => forms.get(contentType) ?? forms.get(declaredFor(declared, contentType) ?? '');
}
