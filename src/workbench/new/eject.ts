import { chmod, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '../model/git.js';
import { nameFor, RUN, wordsFor, writeFiles } from './new.js';
import { projectFiles } from './template.js';

/** What cannot be ejected, and why; the message is a sentence for whoever asked. */
export class NothingToEject extends Error {
  override readonly name = 'NothingToEject';
}

/** What stays of the repository: the platform and the workbench, and what makes a project of them. */
const KEPT = [
  '.git',
  '.gitattributes',
  '.gitignore',
  'biome.json',
  'LICENSE',
  'node_modules',
  'package-lock.json',
  'package.json',
  'prisma.config.ts',
  'tsconfig.json',
  'src/no-package',
  'src/platform',
  'src/workbench',
];
/** What is nobody's to delete: the data of whoever has started the example. */
const LEFT = ['data', '.env'];
/** What of a new project the repository has already, or makes in its own way. */
const NOT_WRITTEN =
  /^(Dockerfile|\.dockerignore|LICENSE|biome\.json|tsconfig\.json|\.gitignore|package\.json|generated\/.*\.(ts|md))$/;

/** Folders of which tsconfig.json speaks. */
const GONE_FROM_TSCONFIG = /"(?:test\/contract\/consumers|bench\/peers|bench)", /g;

type Manifest = Record<string, Record<string, string>> & { name: string };

const json = async <T>(path: string): Promise<T> => JSON.parse(await readFile(path, 'utf8')) as T;

/** @throws NothingToEject where it is not the example, or what is not committed would be lost */
async function refuse(root: string): Promise<string> {
  const { name } = await json<Manifest>(join(root, 'package.json')).catch(() => ({ name: '' }));
  if (name !== '@accord/example') throw new NothingToEject(`${root} is no clone of the repository of Accord.`);
  const commit = await git(root, 'rev-parse', 'HEAD').catch(() => {
    throw new NothingToEject('Nothing here is committed, so that nothing could be taken back. Nothing was changed.');
  });
  const changes = await git(root, 'status', '--porcelain');
  if (changes !== '')
    throw new NothingToEject(`There are changes that are not committed. Nothing was changed.\n${changes}`);
  return commit.trim();
}

/** Deletes what goes, down to the folders of which only parts stay. */
async function clear(root: string, folder = ''): Promise<void> {
  for (const name of await readdir(join(root, folder))) {
    const path = join(folder, name);
    if ([...KEPT, ...LEFT].includes(path)) continue;
    if (KEPT.some((kept) => kept.startsWith(`${path}/`))) await clear(root, path);
    else await rm(join(root, path), { recursive: true });
  }
}

/** Of the dependencies of the repository those that the platform and the workbench, and their checks, have need of. */
async function manifestOf(root: string, name: string, template: Manifest): Promise<object> {
  const own = await json<Manifest>(join(root, 'package.json'));
  const [platform, workbench] = await Promise.all(
    ['platform', 'workbench'].map((house) => json<Manifest>(join(root, 'src', house, 'package.json'))),
  );
  const needed = { ...platform?.['devDependencies'], ...platform?.['dependencies'], ...workbench?.['dependencies'] };
  const overridden = Object.values(own['overrides'] ?? {}).flatMap((one) =>
    typeof one === 'string' ? one : Object.values(one as object),
  );
  const stays = (dependency: string) =>
    dependency in needed || dependency in { ...template['devDependencies'] } || overridden.includes(`$${dependency}`);
  const { tap: _, c8: __, ...others } = own;
  return {
    ...others,
    name,
    description: 'An API, over REST, GraphQL and live subscriptions.',
    scripts: template['scripts'],
    dependencies: { accord: own['dependencies']?.['accord'] },
    devDependencies: Object.fromEntries(
      Object.entries(own['devDependencies'] ?? {}).filter(([dependency]) => stays(dependency)),
    ),
  };
}

/**
 * Makes an empty start of a clone of the repository: what goes is the example, its tests and the pages on it; what stays are the
 * platform and the workbench; what comes is what `accord new` writes, without the resource that it shows.
 * @param chosen what the application is called (default: as the directory)
 * @returns the commit that has all that went
 * @throws NothingToEject, and nothing was changed; NoNewProject where the name cannot be one
 */
export async function eject(root: string, chosen?: string): Promise<string> {
  const name = nameFor(root, chosen);
  const commit = await refuse(root);
  const files = await projectFiles({ words: [...wordsFor(name), ['<commit>', commit]], empty: true });
  const manifest = await manifestOf(root, name, JSON.parse(files.get('package.json') ?? '') as Manifest);
  await clear(root);
  for (const path of files.keys()) if (NOT_WRITTEN.test(path)) files.delete(path);
  files.set('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
  const config = await readFile(join(root, 'tsconfig.json'), 'utf8');
  files.set('tsconfig.json', config.replaceAll(GONE_FROM_TSCONFIG, ''));
  await writeFiles(root, files);
  await chmod(join(root, RUN), 0o755);
  return commit;
}
