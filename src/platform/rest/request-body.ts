import type { Schema } from '../contract/document.js';
import { type BodyKind, declaredFor, kindOf } from '../contract/media-types.js';
import type { Operation } from '../contract/openapi.js';

/** A body that an operation reads. */
export interface BodyForm {
  /** The media type, or the range of them, as the contract has it. */
  type: string;
  kind: BodyKind;
  /** What a value of it is held to; undefined for a stream, which nobody has read. */
  schema: Schema | undefined;
}

/** The bodies that an operation reads, in the contract's order. */
export const bodyForms = ({ operation }: Operation): BodyForm[] =>
  Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema }]) => {
    const kind = kindOf(type);
    return { type, kind, schema: kind === 'stream' ? undefined : schema };
  });

/** @returns the body that an operation reads, by the `Content-Type` of a request; undefined for what it does not read */
export function bodyFormFor(operation: Operation): (contentType: string) => BodyForm | undefined {
  const forms = new Map(bodyForms(operation).map((form) => [form.type, form]));
  const declared = [...forms.keys()];
  return (contentType) => forms.get(contentType) ?? forms.get(declaredFor(declared, contentType) ?? '');
}
