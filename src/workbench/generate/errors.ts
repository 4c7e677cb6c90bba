import type { Catalogue } from '@accord-api/platform/contract/codes';
import { HEADER } from './operations.js';
import { docComment, key, literal } from './typescript.js';

const TABLE = docComment([
  'What can go wrong, once for both transports: the code clients switch on, its HTTP status, and when it is sent. The',
  "platform's own codes, and those that `x-codes` in openapi.yaml adds.",
]);

/** The source of `generated/errors.ts`: the catalogue of error codes. The same codes always give the same text. */
export function generateErrors(codes: Catalogue): string {
  const entries = Object.entries(codes).map(
    ([code, { status, title, description }]) =>
      `  ${key(code)}: {\n    status: ${status},\n    title: ${literal(title)},\n    description: ${literal(description.trim())},\n  },\n`,
  );
  return [
    HEADER,
    `${TABLE}export const errors = {\n${entries.join('')}} as const;\n`,
    `${docComment(['What clients switch on.'])}export type Code = keyof typeof errors;\n`,
  ].join('\n');
}
