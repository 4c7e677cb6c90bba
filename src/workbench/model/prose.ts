/** Escapes a text for Markdown, but for what stands between backticks. */
export const prose = (text: string): string =>
  text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part.replaceAll(/[<>|*_[\]]/g, (sign) => `\\${sign}`) : `\`${part}\``))
    .join('');
