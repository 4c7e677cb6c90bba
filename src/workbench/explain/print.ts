import type { Explanation, Part } from './explain.js';

type Paint = (style: 'bold' | 'cyan' | 'dim', text: string) => string;

const MAX_NAME_WIDTH = 28;

/** Prints an explanation. Parts of a default have its number in the list at the end. */
export function printExplanation({ name, what, at, description, sections }: Explanation, paint: Paint): string {
  const defaults: string[] = [];
  function mark({ byDefault }: NonNullable<Part['at']>): string {
    if (byDefault === undefined) return '';
    if (!defaults.includes(byDefault)) defaults.push(byDefault);
    return ` [${defaults.indexOf(byDefault) + 1}]`;
  }
  const placeOf = (said: Part['at']) =>
    said ? paint('dim', `${said.file}:${said.line}:${said.column}${mark(said)}`) : '';

  /** Joins the headers of a response in one line, each with its line number. */
  function inLine(parts: readonly Part[]): Part[] {
    const headers = parts.filter(({ says }) => says === 'header');
    const says = headers.map((one) => `${one.name}${one.at ? ` :${one.at.line}${mark(one.at)}` : ''}`).join(', ');
    const others = parts.filter((one) => one.says !== 'header');
    return headers.length === 0 ? others : [...others, { name: 'headers', says, at: undefined }];
  }
  function lines(parts: readonly Part[], indent = '  '): string[] {
    const width = Math.min(MAX_NAME_WIDTH, Math.max(0, ...parts.map((part) => part.name.length)));
    return parts.flatMap((part) => [
      `${indent}${part.name.padEnd(width)}  ${[part.says, placeOf(part.at)].filter(Boolean).join('  ')}`,
      ...lines(inLine(part.parts ?? []), `${indent}     `),
    ]);
  }

  const head = `${paint('bold', name)}  ${what}  ${placeOf(at)}`;
  const prose = description === '' ? [] : ['', ...description.split('\n').map((line) => `  ${line}`.trimEnd())];
  const shown = sections
    .filter(({ parts }) => parts.length > 0)
    .flatMap(({ title, parts }) => ['', paint('cyan', title), ...lines(parts)]);
  const listed = defaults.map((one, index) => `  [${index + 1}] ${one}`);
  const footer = listed.length > 0 ? ['', paint('cyan', 'By default (x-defaults)'), ...listed] : [];
  return [head, ...prose, ...shown, ...footer].join('\n');
}
