const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;' };

/** Signs that show nothing, or turn around what follows them (Unicode, UAX 9): a text must not look like another one. */
const INVISIBLE = /(?![\t\n])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

const named = (sign: string) => `⟨U+${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** A text of the contracts in HTML or XML, in an element or an attribute. What is invisible is called by its number. */
export const escaped = (text: string): string =>
  text.replaceAll(INVISIBLE, named).replaceAll(/[&<>"\n]/g, (sign) => ENTITIES[sign] ?? sign);

/** Messages name things in backticks: in HTML they are code. */
export const prose = (text: string): string =>
  text
    .split('`')
    .map((part, index, { length }) => {
      if (index % 2 === 0) return escaped(part);
      return index === length - 1 ? `\`${escaped(part)}` : `<code>${escaped(part)}</code>`;
    })
    .join('');
