const words = (text: string) => text.trim().split(/\s+/);

/**
 * The words that are no name in a language: ECMAScript 2023 in modules and strict mode, Python 3.12, Java 21.
 *
 * @see https://tc39.es/ecma262/#sec-keywords-and-reserved-words
 * @see https://docs.python.org/3.12/reference/lexical_analysis.html#keywords
 * @see https://docs.oracle.com/javase/specs/jls/se21/html/jls-3.html#jls-3.9
 */
export const RESERVED = {
  JavaScript: words(`
    arguments await break case catch class const continue debugger default delete do else enum eval export extends false
    finally for function if implements import in instanceof interface let new null package private protected public
    return static super switch this throw true try typeof var void while with yield`),
  Python: words(`
    False None True and as assert async await break class continue def del elif else except finally for from global if
    import in is lambda nonlocal not or pass raise return try while with yield`),
  Java: words(`
    abstract assert boolean break byte case catch char class const continue default do double else enum extends false
    final finally float for goto if implements import instanceof int interface long native new null package private
    protected public return short static strictfp super switch synchronized this throw throws transient true try void
    volatile while`),
} as const satisfies Record<string, readonly string[]>;
