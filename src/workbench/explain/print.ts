import type { Explanation, Part, Said } from './explanation.js';

/** Weakens or strengthens a text; the command decides whether there are colours. */
type Paint = (style: 'bold' | 'cyan' | 'dim', text: string) => string;

/** The widest column of names. */
const WIDEST = 28;

/** An explanation for a terminal. What a default says is marked by its number, and the defaults are listed below. */
export function printExplanation(explanation: Explanation, paint: Paint): string {
  const { name, what, at, description, sections } = explanation;
  const defaults: string[] = [];

  function mark({ byDefault }: Said): string {
    if (byDefault === undefined) return '';
    if (!defaults.includes(byDefault)) defaults.push(byDefault);
    return ` [${defaults.indexOf(byDefault) + 1}]`;
  }
  const placeOf = (said: Said) => `${said.file}:${said.line}:${said.column}${mark(said)}`;

  /** Headers share a line, and those that one default says a mark; of their place the line is enough. */
  function withHeadersInLine(parts: readonly Part[]): Part[] {
    const headers = parts.filter(({ says }) => says === 'header');
    const others = parts.filter(({ says }) => says !== 'header');
    if (headers.length === 0) return others;
    const says = [...new Set(headers.map(({ at }) => at?.byDefault))].map((byDefault) => {
      const group = headers.filter(({ at }) => at?.byDefault === byDefault);
      const [first] = group;
      return `${group.map(({ name, at }) => `${name} :${at?.line}`).join(', ')}${first?.at ? mark(first.at) : ''}`;
    });
    return [...others, { name: 'headers', says: says.join('; '), at: undefined }];
  }
  function lines(parts: readonly Part[], indent = '  '): string[] {
    const width = Math.min(WIDEST, Math.max(0, ...parts.map((part) => part.name.length)));
    return parts.flatMap((part) => {
      const place = part.at === undefined ? '' : paint('dim', placeOf(part.at));
      const head = `${indent}${part.name.padEnd(width)}  ${[part.says, place].filter(Boolean).join('  ')}`;
      return [head, ...lines(withHeadersInLine(part.parts ?? []), `${indent}     `)];
    });
  }

  const shown = sections
    .filter(({ parts }) => parts.length > 0)
    .flatMap(({ title, parts }) => ['', paint('cyan', title), ...lines(parts)]);
  const listed = defaults.map((said, index) => `  [${index + 1}] ${said}`);
  return [
    `${paint('bold', name)}  ${what}  ${paint('dim', placeOf(at))}`,
    ...(description === '' ? [] : ['', ...description.split('\n').map((line) => `  ${line}`.trimEnd())]),
    ...shown,
    ...(listed.length > 0 ? ['', paint('cyan', 'By default (x-defaults)'), ...listed] : []),
  ].join('\n');
}
