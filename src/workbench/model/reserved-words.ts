/**
 * The words that are no function name in ECMAScript 2023, in modules and strict mode.
 *
 * @see https://tc39.es/ecma262/#sec-keywords-and-reserved-words
 */
export const RESERVED_WORDS = `
  arguments await break case catch class const continue debugger default delete do else enum eval export extends false
  finally for function if implements import in instanceof interface let new null package private protected public
  return static super switch this throw true try typeof var void while with yield`
  .trim()
  .split(/\s+/);
