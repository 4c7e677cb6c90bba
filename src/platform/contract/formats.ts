import type { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { codes } from 'currency-codes';

/** The codes of currencies in use (ISO 4217). */
const currencies: ReadonlySet<string> = new Set(codes());

/** Makes a validator know the formats that the contracts use: those of JSON Schema, and `iso-4217`. */
export function addFormats(ajv: Ajv2020): Ajv2020 {
  formats.default(ajv);
  return ajv.addFormat('iso-4217', (code) => currencies.has(code));
}
