import { readFileSync } from 'node:fs';

/** The README's section under a heading of the third level, for a test that follows it word by word. */
export function section(heading: string): string {
  const [, text] = readFileSync('README.md', 'utf8').split(`\n### ${heading}\n`);
  if (text === undefined) throw new Error(`The README has no section "${heading}".`);
  return text.split('\n### ')[0] as string;
}

/** The blocks of code in a language. */
export const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, block]) => block as string);
