import { pathToFileURL } from 'node:url';
import { importsOf, sourcesIn } from './imports.js';

/** The generated files of a new project do not count. */
const GENERATED = /^workbench\/new\/template\/generated\//;

const linesOf = (text: string): number => text.split('\n').length - 1;

/** Counts lines and files of `src/`, by package, and the files that exactly one other file imports. */
export function sizes(): { lines: Record<string, number>; files: number; longest: number; withOneImporter: number } {
  const sources = Object.fromEntries(Object.entries(sourcesIn('src')).filter(([path]) => !GENERATED.test(path)));
  const files = Object.keys(sources);
  const lines: Record<string, number> = {};
  for (const [path, text] of Object.entries(sources)) {
    const name = path.split('/')[0] as string;
    lines[name] = (lines[name] ?? 0) + linesOf(text);
  }
  const importers = new Map<string, Set<string>>();
  for (const { from, to } of importsOf(sources)) importers.set(to, (importers.get(to) ?? new Set()).add(from));
  return {
    lines: { all: Object.values(lines).reduce((all, one) => all + one, 0), ...lines },
    files: files.length,
    longest: Math.max(...Object.values(sources).map(linesOf)),
    withOneImporter: files.filter((path) => importers.get(path)?.size === 1).length,
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(sizes());
