/** Returns the line and column of the first occurrence of a word. */
export function place(text: string, word: string): string {
  const lines = text.slice(0, text.indexOf(word)).split('\n');
  return `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
}
