import type { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { currencies } from '../../../generated/currencies.js';

/** Makes a validator know the formats that the contracts use: those of JSON Schema, and `iso-4217`. */
export function addFormats(ajv: Ajv2020): Ajv2020 {
  formats.default(ajv);
  return ajv.addFormat('iso-4217', (code) => currencies.has(code));
}
