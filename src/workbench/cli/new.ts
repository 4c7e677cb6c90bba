import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXIT, type Subcommand, Unable } from '@accord-api/platform/cli/output';

const PACKAGES = ['platform', 'prepared-prisma', 'testing', 'workbench'] as const;
/** The version or the tarball of each package. */
type Packages = Readonly<Record<(typeof PACKAGES)[number], string>>;

/** A complete project. File names that npm or git would read as this repository's have an underscore before them. */
const TEMPLATE = fileURLToPath(new URL('../new/template/', import.meta.url));

/** The comments that mark the example resource, whose lines a test counts. */
const MARKS = /^ *(?:#|\/\/|--|<!--) <\/?books>(?: -->)?\n/gm;

/** A name from which the platform makes names of cookies, tokens and signals (`namesOf`). */
const NAME = /^(?=.{2,20}$)[a-z][a-z0-9]+(-[a-z0-9]+)*$/;

/** @throws Unable if the name of the directory is unsuitable */
function nameFor(directory: string, chosen?: string): string {
  const words = basename(resolve(directory))
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const name = chosen ?? words.filter(Boolean).join('-');
  if (NAME.test(name)) return name;
  throw new Unable(
    `"${name}" is no name for an application: it needs 2 to 20 lower-case letters, digits and single hyphens, a letter first. Choose one with --name.`,
  );
}

/** Refuses a directory with content. An empty git repository is fine. */
async function requireEmpty(directory: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isDirectory()) throw new Unable(`${directory} is a file. Nothing was written.`);
  const [first] = (await readdir(directory)).filter((name) => name !== '.git');
  if (first !== undefined)
    throw new Unable(`${directory} is not empty (it contains ${first}). Nothing was written: name another directory.`);
}

/**
 * Returns the files of a project by path.
 * @param words texts of the template, and their replacements
 */
async function projectFiles(words: readonly (readonly [from: string, to: string])[]): Promise<Map<string, string>> {
  const entries = await readdir(TEMPLATE, { recursive: true, withFileTypes: true });
  const files = new Map<string, string>();
  for (const entry of entries.filter((entry) => entry.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const template = (await readFile(path, 'utf8')).replaceAll(MARKS, '');
    const text = words.reduce((replaced, [from, to]) => replaced.replaceAll(from, to), template);
    files.set(path.slice(TEMPLATE.length).replace(/^_/, ''), text);
  }
  return files;
}

async function writeFiles(directory: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of files) {
    await mkdir(join(directory, path, '..'), { recursive: true });
    await writeFile(join(directory, path), text);
  }
}

/**
 * Writes a new project, and generates from its contracts.
 * @throws Unable for a directory that is not empty
 */
async function writeProject(directory: string, name: string, packages: Packages): Promise<void> {
  await requireEmpty(directory);
  const words: [string, string][] = [
    ['my-api', name],
    ['my_api', name.replaceAll('-', '_')],
    // `Book Club` for `book-club`.
    ['My API', name.replaceAll(/(^|-)(\w)/g, (_, before, letter) => (before && ' ') + letter.toUpperCase())],
    ['<year>', String(new Date().getFullYear())],
    ...PACKAGES.map((name): [string, string] => [`<${name}>`, packages[name]]),
  ];
  await writeFiles(directory, await projectFiles(words));
  // npm packages files without their executable bit.
  await chmod(join(directory, '.ci', 'run'), 0o755);
  // Loaded here, because most commands generate nothing.
  const { generate } = await import('../generate/generate.js');
  const { readContracts } = await import('../model/contracts.js');
  const { ok, report } = await generate(await readContracts(directory), { root: directory, client: false });
  if (!ok) throw new Unable(report);
}

const DESCRIPTION =
  'Writes a project with both contracts: accounts, logins and one resource over REST, GraphQL and a live stream, with tests, a database, CI and a container image. All files are yours to edit, except generated/.';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Returns the dependencies on Accord: tarballs of a folder, or this version and later compatible ones. */
function packagesIn(folder: string | undefined) {
  const sourceOf = (name: string) => {
    if (folder === undefined) return `^${version}`;
    const path = resolve(folder, `accord-api-${name}-${version}.tgz`);
    if (existsSync(path)) return `file:${path}`;
    throw new Unable(`There is no ${path}. \`npm run pack -- <folder>\` in the repository of Accord writes it.`);
  };
  return Object.fromEntries(PACKAGES.map((name) => [name, sourceOf(name)])) as Packages;
}

const newCommand: Subcommand = (command) => {
  command
    .description(DESCRIPTION)
    .argument('<directory>', 'a new or empty directory for the project')
    .option('--name <name>', 'the name of the application (default: the name of the directory)')
    .option('--packages <folder>', 'install Accord from the tarballs in this folder, not from the registry')
    .action(async (directory: string, { name, packages }: { name?: string; packages?: string }) => {
      const target = resolve(directory);
      await writeProject(target, nameFor(directory, name), packagesIn(packages));
      const folder = relative(process.cwd(), target) || '.';
      console.log(
        `Written: ${folder}\n\n  cd ${folder}\n  npm install\n  npm start\n\nIts README.md explains the files.`,
      );
    });
};

export default newCommand;

const SCHEMA = join('prisma', 'schema.prisma');
const MIGRATIONS = join('prisma', 'migrations');
/** The comment above the platform's models in the schema of a new project. */
const PLATFORM_MODELS = "\n// The platform's own";
/** The first migration of each project, and the later migrations of the platform. */
const FIRST_MIGRATION = '0_platform';
const LATER_MIGRATION = /^prisma\/migrations\/0_(platform_\d\d_\w+)\/migration\.sql$/;

/** A model or an enum of a Prisma schema. */
interface Block {
  /** `model User` */
  name: string;
  text: string;
  members: Member[];
}

interface Member {
  name: string;
  /** The lines, including the comments above the member and the last line break. */
  text: string;
}

const BLOCK = /^(?:\/\/\/.*\n)*((?:model|enum) (\w+)) \{\n([\s\S]*?)^\}\n/gm;

const blocksOf = (schema: string): Block[] =>
  [...schema.matchAll(BLOCK)].map(([text, name = '', , body = '']) => ({ name, text, members: membersOf(body) }));

/** Returns the members of a block, including attributes such as `@@map("users")`. */
function membersOf(body: string): Member[] {
  const members: Member[] = [];
  let comments = '';
  for (const line of body.split('\n')) {
    const [, name] = /^ *(@@\w+(?:\([^)]*\))?|\w+)/.exec(line) ?? [];
    if (name !== undefined) members.push({ name, text: `${comments}${line}\n` });
    comments = /^ *\/\//.test(line) ? `${comments}${line}\n` : '';
  }
  return members;
}

/** Returns the definition of a member without comments and alignment. */
const definitionOf = ({ text }: Member) => (text.trimEnd().split('\n').at(-1) ?? '').trim().replaceAll(/\s+/g, ' ');

const typeNameOf = ({ name }: Block) => name.split(' ')[1] ?? '';

/** Returns a block with the members of another one. Other members stay: they belong to the team. */
function mergeMembers({ text, members }: Block, wanted: Block, changed: string[]): string {
  let merged = text;
  let previous = '';
  for (const member of wanted.members) {
    const present = members.find(({ name }) => name === member.name);
    if (present !== undefined && definitionOf(present) === definitionOf(member)) {
      previous = present.text;
      continue;
    }
    changed.push(`${typeNameOf(wanted)}.${member.name}`);
    if (present !== undefined) merged = merged.replace(present.text, () => member.text);
    else if (previous === '') merged = merged.replace('{\n', (line) => line + member.text);
    else merged = merged.replace(previous, (text) => text + member.text);
    previous = member.text;
  }
  return merged;
}

/** Returns the platform's models as they are now, without the relations to models of the team. */
function platformBlocks(template: string): Block[] {
  const all = blocksOf(template);
  const own = blocksOf(template.slice(template.indexOf(PLATFORM_MODELS)));
  const others = all.filter(({ name }) => own.every((block) => block.name !== name)).map(typeNameOf);
  const isRelation = ({ name, text }: Member) => {
    const [, type = ''] = new RegExp(`^ *${name} +(\\w+)`, 'm').exec(text) ?? [];
    return others.includes(type);
  };
  return own.map((block) => ({ ...block, members: block.members.filter((member) => !isRelation(member)) }));
}

/**
 * Returns the migrations of the platform that a project lacks, placed after its own, and its schema with the platform's models. `changed`
 * are the models and members that were added or changed: `User.networks`, `KnownNetwork`.
 * @throws Unable for a project without the platform's tables
 */
async function upgradeOf(root: string): Promise<{ files: Map<string, string>; changed: string[] }> {
  const present = await readdir(join(root, MIGRATIONS)).catch((): string[] => []);
  if (!present.includes(FIRST_MIGRATION))
    throw new Unable(`${join(root, MIGRATIONS)} has no ${FIRST_MIGRATION}: \`accord new\` did not write this project.`);
  const template = await projectFiles([]);
  const missing = [...template].flatMap(([path, script]) => {
    const [, name] = LATER_MIGRATION.exec(path) ?? [];
    return name === undefined || present.some((folder) => folder.endsWith(`_${name}`)) ? [] : [{ name, script }];
  });
  const stamp = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const files = new Map<string, string>();
  for (const { name, script } of missing.sort((a, b) => a.name.localeCompare(b.name)))
    files.set(join(MIGRATIONS, `${stamp}_${name}`, 'migration.sql'), script);
  const schema = await readFile(join(root, SCHEMA), 'utf8');
  const changed: string[] = [];
  let text = schema;
  for (const wanted of platformBlocks(template.get(SCHEMA) ?? '')) {
    const block = blocksOf(text).find(({ name }) => name === wanted.name);
    if (block === undefined) changed.push(typeNameOf(wanted));
    text = block ? text.replace(block.text, () => mergeMembers(block, wanted, changed)) : `${text}\n${wanted.text}`;
  }
  if (text !== schema) files.set(SCHEMA, text);
  return { files, changed };
}

const UPGRADE_DESCRIPTION =
  'Adds the tables of the installed version of Accord to the project: writes the missing migrations into prisma/migrations, after its own, and updates the models of the platform in prisma/schema.prisma. Your models and members stay. Then it generates. The next start applies the migrations.';

const NEXT = `
Next:
  1. Review the changes (\`git diff\`): the files are yours.
  2. Run \`npm run typecheck\`, \`npm run lint\` and \`npm test\`: they report other changes.
  3. Start the service, which applies the migrations.`;

/** Exits 1 with `--check` if there is something to add, 2 for a project that `accord new` did not write. */
export const upgrade: Subcommand = (command) => {
  command
    .description(UPGRADE_DESCRIPTION)
    .option('--check', 'write nothing; print the changes, and exit 1 if there are any', false)
    .action(async () => {
      const { root, check } = command.optsWithGlobals<{ root: string; check: boolean }>();
      const { files, changed } = await upgradeOf(root);
      if (files.size === 0) return console.log(`The tables are those of Accord ${version}.`);
      console.log(`${check ? 'To be added from' : 'Added from'} Accord ${version}:`);
      for (const file of files.keys()) console.log(`  ${file}`);
      if (changed.length > 0) console.log(`  (${changed.join(', ')})`);
      if (check) {
        process.exitCode = EXIT.found;
        return;
      }
      await writeFiles(root, files);
      const { generate } = await import('../generate/generate.js');
      const { readContracts } = await import('../model/contracts.js');
      const { checkMigrations } = await import('../prisma/migration-diff.js');
      const { ok, report } = await generate(await readContracts(root), { root });
      console.log(report);
      const difference = await checkMigrations({ folder: join(root, MIGRATIONS), schema: join(root, SCHEMA) });
      if (difference !== undefined)
        console.log(`\nThe migrations do not result in prisma/schema.prisma. The differences:\n${difference}`);
      if (!ok || difference !== undefined) process.exitCode = EXIT.found;
      console.log(NEXT);
    });
};
