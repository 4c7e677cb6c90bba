import { join } from 'node:path';
import type { Project } from 'ts-morph';
import { type Change, Refusal } from './change.js';
import { removeImport, removeWithComments } from './extent.js';
import { literalOf, propertiesOf } from './members.js';
import { importNamed, removeUnusedImport } from './project-files.js';

interface RegistryOptions {
  /** Of the file, relative to the project. */
  path: string;
  /** The constant that has a property for each registered file. */
  constant: string;
  /** Whether files are imported whole (`import * as users`), or by what they are named after (`import { User }`). */
  whole: boolean;
}

/**
 * The place where the files of handlers, or of resolvers, are all named.
 * @throws Refusal when it is not what it should be
 */
export function openRegistry(project: Project, root: string, { path, constant, whole }: RegistryOptions) {
  const file = project.getSourceFile(join(root, path));
  if (!file || !literalOf(file, constant)) {
    throw new Refusal(`${path} should export \`${constant}\`, an object literal that names the files beside it.`);
  }
  const entries = propertiesOf(file, constant);
  return {
    names: (): string[] => entries.names(),
    /** @param home the file that is registered, relative to the project */
    add(name: string, home: string): Change {
      if (whole) file.addImportDeclaration({ moduleSpecifier: `./${name}.js`, namespaceImport: name });
      else importNamed(file, `./${name}.js`, name, false);
      entries.insert(`${name},`, entries.node(entries.names().at(-1) ?? ''), undefined);
      return { kind: 'registered', file: path, name, detail: home };
    },
    remove(name: string, home: string): Change {
      const entry = entries.node(name);
      if (entry) removeWithComments(entry);
      const imported = whole ? file.getImportDeclaration(`./${name}.js`) : undefined;
      if (imported) removeImport(imported);
      else removeUnusedImport(file, name);
      return { kind: 'unregistered', file: path, name, detail: `${home} stays, with what is parked in it` };
    },
  };
}
