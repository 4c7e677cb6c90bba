import { join } from 'node:path';
import type { Project } from 'ts-morph';
import { type Change, Refusal } from './change.js';
import { removeWithComments } from './extent.js';
import { literalOf, propertiesOf } from './members.js';
import { importNamed, removeUnusedImport } from './project-files.js';

interface RegistryOptions {
  /** Of the file, relative to the project. */
  path: string;
  /** The constant that has a property for each registered file. */
  constant: string;
}

/**
 * The place where the files of handlers, or of resolvers, are all named.
 * @throws Refusal when it is not what it should be
 */
export function openRegistry(project: Project, root: string, { path, constant }: RegistryOptions) {
  const file = project.getSourceFile(join(root, path));
  if (!file || !literalOf(file, constant)) {
    throw new Refusal(`${path} should export \`${constant}\`, an object literal that names the files beside it.`);
  }
  const entries = propertiesOf(file, constant);
  return {
    names: (): string[] => entries.names(),
    /** @param home the file that is registered, relative to the project */
    add(name: string, home: string): Change {
      importNamed(file, `./${name}.js`, name, false);
      entries.insert(`${name},`, entries.node(entries.names().at(-1) ?? ''));
      return { kind: 'registered', file: path, name, detail: home };
    },
    /** @param left what becomes of the file, in a sentence's second half */
    remove(name: string, home: string, left = 'stays, with what is parked in it'): Change {
      const entry = entries.node(name);
      if (entry) removeWithComments(entry);
      removeUnusedImport(file, name);
      return { kind: 'unregistered', file: path, name, detail: `${home} ${left}` };
    },
  };
}
