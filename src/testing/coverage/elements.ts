import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InputValueDefinitionNode } from 'graphql';

/** The kinds of elements, in the order of the reports. `word` is the noun in a list of missing elements: `the status 409`. */
export const KINDS = {
  status: { word: 'status', title: 'operation × status' },
  security: { word: 'way to log in', title: 'operation × way to log in' },
  bound: { word: 'bound', title: 'bounds of requests, both sides' },
} satisfies Record<string, { word: string; title: string }>;

export type ElementKind = keyof typeof KINDS;

export type ContractFile = 'openapi.yaml' | 'schema.graphql';

/** A part of a contract that a test can observe in an exchange. */
export interface Element {
  kind: ElementKind;
  /** The operationId or the SDL type. */
  owner: string;
  /** The name within the owner: `409`, `by basic`, `body /name at maxLength 100`; `users(limit) beyond max 100`. */
  name: string;
  /** The key of its observations: the owner and the name. */
  key: string;
  file: ContractFile;
  /** The keys that lead to the element in a YAML file, or its place in another file. */
  at: readonly string[] | { file?: string; line: number; column: number };
  /** The bounded part: `createUser body /name`, `Query.users(limit)`. */
  within?: string | undefined;
  /** The response component that declares a status by reference. */
  component?: string | undefined;
}

/** The owner of the answers where no operation is: the name of the extension that declares them. */
export const UNMATCHED = 'x-unmatched';

/** A bound of the SDL, with the argument or the input field that has it. */
export interface SdlElement extends Omit<Element, 'at'> {
  node: InputValueDefinitionNode | null | undefined;
}

/** The number of exchanges that showed each element, by its key. */
export type Observations = Map<string, number>;

/** The folder of a project's recordings, one file per process. Git ignores it. */
export const RECORDINGS = join('coverage', 'contract');

export function note(observations: Observations, keys: Iterable<string>): void {
  for (const key of keys) observations.set(key, (observations.get(key) ?? 0) + 1);
}

const observationsByRoot = new Map<string, Observations>();

/** Returns the observations of this process, which writes them to a file of its own when it exits. */
export function observationsOf(root: string): Observations {
  const known = observationsByRoot.get(root);
  if (known) return known;
  const observations: Observations = new Map();
  observationsByRoot.set(root, observations);
  process.once('exit', () => {
    if (observations.size === 0) return;
    const folder = join(root, RECORDINGS);
    mkdirSync(folder, { recursive: true });
    // The time makes the name unique, because process ids are reused.
    const file = join(folder, `${process.pid}-${Date.now().toString(36)}.json`);
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(observations))}\n`);
  });
  return observations;
}

/** Sums up all recordings since the last `clearObservations`. @throws Error for an incomplete file */
export function readObservations(root: string): { observations: Observations; recordings: number } {
  const folder = join(root, RECORDINGS);
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  const observations: Observations = new Map();
  for (const name of files) {
    const recorded: Record<string, number> = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    for (const [key, count] of Object.entries(recorded)) observations.set(key, (observations.get(key) ?? 0) + count);
  }
  return { observations, recordings: files.length };
}

export const clearObservations = (root: string): void =>
  rmSync(join(root, RECORDINGS), { recursive: true, force: true });
