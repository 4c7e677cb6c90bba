import type { SourceFile } from 'ts-morph';
import { insert, splice } from './extent.js';

/**
 * Code that the contract has no more: comments at the end of the file it stood in, so that it compiles whatever it needs
 * and whoever reads the file meets it. It comes back by itself when the contract has it again.
 */
const BLOCK = /\n?^\/\/ accord: parked (\S+): .*\n\/\/ .*\n((?:\/\/.*\n?)*)/gm;

const HINT = '// It comes back when the contract has it again; delete it when nobody needs it.';

const blocks = (file: SourceFile) => [...file.getFullText().matchAll(BLOCK)];

/** How a parked block begins. */
export const parkedHead = (label: string): string => `// accord: parked ${label}:`;

/** Whether the code of a label is parked in a file; without a label, whether anything is. */
export const isParked = (file: SourceFile, label?: string): boolean =>
  blocks(file).some(([, name]) => label === undefined || name === label);

/** Adds code to the end of a file as comments. `label` is what to call it, `reason` says in a sentence why. */
export function park(file: SourceFile, label: string, reason: string, code: string): void {
  const lines = code.split('\n').map((line) => `// ${line}`.trimEnd());
  const end = file.getFullText().trimEnd().length;
  const block = ['', '', `${parkedHead(label)} ${reason}`, HINT, ...lines].join('\n');
  insert(file, end, block);
}

/** Takes the code of a label back out of the comments; undefined where there is none. */
export function unpark(file: SourceFile, label: string): string | undefined {
  const block = blocks(file).find(([, name]) => name === label);
  if (block === undefined) return undefined;
  splice(file, block.index, block.index + block[0].length, '');
  return (block[2] ?? '').replaceAll(/^\/\/ ?/gm, '').trimEnd();
}
