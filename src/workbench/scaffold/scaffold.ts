import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Project } from 'ts-morph';
import type { Contracts } from '../model/contracts.js';
import type { Problem } from '../model/problems.js';
import { readBefore } from './before.js';
import { type Change, type Pending, type Placed, Refusal } from './change.js';
import { format } from './format.js';
import { type GraphqlDemand, pendingFields, scaffoldGraphql } from './graphql.js';
import { notesOn } from './notes.js';
import { objectTypes } from './object-types.js';
import { placed } from './place.js';
import { openProject } from './project-files.js';
import { requiredFields } from './required.js';
import { pendingOperations, type RestDemand, scaffoldRest } from './rest.js';
import { stubs } from './targets.js';

export interface Scaffolding {
  /** The files of `generated/` that were written, or would be. */
  generated: string[];
  /** What was done to the code, or would be. */
  changes: Placed<Change>[];
  /** All that answers 501 / NOT_IMPLEMENTED, from now or from before. */
  pending: Placed<Pending>[];
  /** Why something new needs no stub. */
  notes: string[];
}

/** What generating `generated/` gave. */
interface Generated {
  /** Empty when the contracts are sound. */
  problems: Problem[];
  /** Of these, for a person to read. */
  report: string;
  /** The files of `generated/` that were written, or would be. */
  changed: string[];
  /** The text of each, written or not. */
  files: Record<string, string>;
}

interface ScaffoldOptions {
  /** The project's directory. */
  root: string;
  /** Tell what would be done, and write nothing. */
  check?: boolean;
  /** Generates `generated/` from the same contracts; with `check` without writing. */
  generate: () => Promise<Generated>;
}

/**
 * Brings the code of a project to what its contracts ask for: generates `generated/`, then writes a stub for each new
 * operation and field, keeps what was renamed, and parks what is gone. A second run changes nothing.
 * @throws Refusal on a broken contract, on code that does not parse, and on a name that cannot become a file
 */
export async function scaffold(
  contracts: Contracts,
  { root, check = false, generate }: ScaffoldOptions,
): Promise<Scaffolding> {
  const { openapi, schema } = contracts;
  // What can be refused is refused before the generated files forget the names that were.
  const project = openProject(root);
  const before = await readBefore(root);
  const outcome = await generate();
  if (outcome.problems.length > 0) throw new Refusal(outcome.report);
  // What another service carries out has no handler here.
  const operations = openapi.operations.filter(({ forward }) => forward === undefined);
  const types = objectTypes(schema);
  const required = requiredFields(root, outcome.files['graphql.ts'] ?? '', types);

  const changes = editCode(project, root, {
    operations,
    types,
    required,
    before,
    stubs: stubs(project, root, contracts),
  });
  await finish(project, root, check);
  const pending = [...pendingOperations(project, root, operations), ...pendingFields(project, root, types)];
  const place = <Thing extends Change | Pending>(thing: Thing) =>
    placed(project.getSourceFileOrThrow(join(root, thing.file)), thing);
  return {
    generated: outcome.changed.map((name) => `generated/${name}`),
    changes: changes.map(place),
    pending: pending.map(place),
    notes: notesOn(types, before.types, required),
  };
}

/** Edits the sources in memory; nothing is formatted or written yet. */
export function editCode(project: Project, root: string, demand: RestDemand & GraphqlDemand): Change[] {
  const ofRest = scaffoldRest(project, root, demand);
  const ofGraphql = scaffoldGraphql(project, root, demand);
  return [...ofRest, ...ofGraphql];
}

/** Formats what was changed, and writes it. */
async function finish(project: Project, root: string, check: boolean): Promise<void> {
  const changed = project
    .getSourceFiles()
    .filter((file) => !file.isSaved() && (file.getFullText() !== '' || existsSync(file.getFilePath())));
  await Promise.all(
    changed.map(async (file) => {
      const path = file.getFilePath();
      const before = await readFile(path, 'utf8').catch(() => undefined);
      const text = await format(root, path, before, file.getFullText());
      file.replaceWithText(text);
    }),
  );
  if (!check) await Promise.all(changed.map((file) => writeFile(file.getFilePath(), file.getFullText())));
}
