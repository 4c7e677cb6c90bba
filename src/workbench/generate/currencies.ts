import { codes, publishDate } from 'currency-codes';

/** Codes on one line of the table. */
const PER_LINE = 15;

/** The source of `generated/currencies.ts`: the codes of ISO 4217 that are in use, by the library currency-codes. */
export function currencyTable(): string {
  const all = [...codes()].sort();
  const lines = Array.from({ length: Math.ceil(all.length / PER_LINE) }, (_, line) =>
    all.slice(line * PER_LINE, (line + 1) * PER_LINE).join(' '),
  );
  return `// Generated from the library currency-codes by \`npm run codegen\`. Do not edit.

const codes = \`
${lines.join('\n')}
\`;

/** The codes of currencies in use (ISO 4217, list one of ${publishDate}). */
export const currencies: ReadonlySet<string> = new Set(codes.trim().split(/\\s+/));
`;
}
