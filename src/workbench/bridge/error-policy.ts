import { CODE_ROW } from './side.js';

/** What a document says of errors beside its fields: codes that all can give, and codes that are not the fields' to give. */
export interface ErrorPolicy {
  common: ReadonlySet<string>;
  foreign: ReadonlySet<string>;
}

/** The codes that a text names in its paragraph with a certain beginning, or undefined when it has none. */
export function codesIn(text: string, beginning: RegExp): string[] | undefined {
  const paragraph = text.split(/\n\s*\n/).find((one) => beginning.test(one.trim()));
  return paragraph === undefined
    ? undefined
    : [...new Set([...paragraph.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, code = '']) => code))];
}

/**
 * Reads the prose conventions of the SDL: the paragraph that begins with "Common errors", and the rows of the table of codes
 * that say "REST only", or that the HTTP status is the same too: these are the transport's and no field's.
 */
export function errorPolicy(text: string): ErrorPolicy {
  const rows = text.split('\n').flatMap((line) => {
    const [, code = '', , when = ''] = CODE_ROW.exec(line) ?? [];
    return /REST only|the HTTP status is \d{3} too/.test(when) ? [code] : [];
  });
  return { common: new Set(codesIn(text, /^\W*Common errors\b/)), foreign: new Set(rows) };
}
