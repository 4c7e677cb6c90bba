import { type BodyKind, kindOf, matchMediaType, type Schema } from '../contract/document.js';
import type { Operation } from '../contract/openapi.js';

export interface BodyForm {
  type: string;
  kind: BodyKind;
  schema: Schema | undefined;
}

export const bodyForms = ({ operation }: Operation): BodyForm[] =>
  Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema }]) => {
    const kind = kindOf(type);
    return { type, kind, schema: kind === 'stream' ? undefined : schema };
  });

export function bodyFormFor(operation: Operation): (contentType: string) => BodyForm | undefined {
  const forms = new Map(bodyForms(operation).map((form) => [form.type, form]));
  const declared = [...forms.keys()];
  return (contentType) => forms.get(contentType) ?? forms.get(matchMediaType(declared, contentType) ?? '');
}
