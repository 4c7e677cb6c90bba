import type { Catalogue } from '@accord-api/platform/contract/codes';
import { HEADER } from './operations.js';
import { docComment, key, literal } from './typescript.js';

const TABLE = docComment([
  'The error codes of both transports: HTTP status, title and description. The catalogue has the codes of the platform and the',
  'codes that `x-codes` in openapi.yaml adds.',
]);

/** Returns the source of `generated/errors.ts`, the catalogue of error codes. The same codes always give the same text. */
export function generateErrors(codes: Catalogue): string {
  const entries = Object.entries(codes).map(
    ([code, { status, title, description }]) =>
      `  ${key(code)}: {\n    status: ${status},\n    title: ${literal(title)},\n    description: ${literal(description.trim())},\n  },\n`,
  );
  return [
    HEADER,
    `${TABLE}export const errors = {\n${entries.join('')}} as const;\n`,
    `${docComment(['A code of the catalogue. Clients distinguish errors by it.'])}export type Code = keyof typeof errors;\n`,
  ].join('\n');
}
