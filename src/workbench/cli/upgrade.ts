import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT, Unable } from '@accord-api/platform/cli/output';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';
import { generate } from '../generate/generate.js';
import { readContracts } from '../model/contracts.js';
import { checkMigrations } from '../prisma/migration-diff.js';
import { projectFiles, writeFiles } from './new.js';

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
    else merged = merged.replace(previous, (one) => one + member.text);
    previous = member.text;
  }
  return merged;
}

/** Returns the platform's models as they are now, without the relations to models of the team. */
function platformBlocks(template: string): Block[] {
  const all = blocksOf(template);
  const own = blocksOf(template.slice(template.indexOf(PLATFORM_MODELS)));
  const others = all.filter(({ name }) => own.every((one) => one.name !== name)).map(typeNameOf);
  const isRelation = ({ name, text }: Member) => {
    const [, type = ''] = new RegExp(`^ *${name} +(\\w+)`, 'm').exec(text) ?? [];
    return others.includes(type);
  };
  return own.map((block) => ({ ...block, members: block.members.filter((member) => !isRelation(member)) }));
}

interface Upgrade {
  files: Map<string, string>;
  /** The models and members that were added or changed: `User.networks`, `KnownNetwork`. */
  changed: string[];
}

/**
 * Returns the migrations of the platform that a project lacks, placed after its own, and its schema with the platform's models.
 * @param now the time in the names of the migrations
 * @throws Unable for a project without the platform's tables
 */
async function upgradeOf(root: string, now = new Date()): Promise<Upgrade> {
  const present = await readdir(join(root, MIGRATIONS)).catch((): string[] => []);
  if (!present.includes(FIRST_MIGRATION))
    throw new Unable(`${join(root, MIGRATIONS)} has no ${FIRST_MIGRATION}: \`accord new\` did not write this project.`);
  const template = await projectFiles([]);
  const missing = [...template].flatMap(([path, script]) => {
    const [, name] = LATER_MIGRATION.exec(path) ?? [];
    return name === undefined || present.some((one) => one.endsWith(`_${name}`)) ? [] : [{ name, script }];
  });
  const stamp = now.toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const files = new Map<string, string>();
  for (const { name, script } of missing.sort((one, other) => one.name.localeCompare(other.name)))
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

const DESCRIPTION =
  'Adds the tables of the installed version of Accord to the project: writes the missing migrations into prisma/migrations, after its own, and updates the models of the platform in prisma/schema.prisma. Your models and members stay. Then it generates. The next start applies the migrations.';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const NEXT = `
Next:
  1. Review the changes (\`git diff\`): the files are yours.
  2. Run \`npm run typecheck\`, \`npm run lint\` and \`npm test\`: they report other changes.
  3. Start the service, which applies the migrations.`;

/** Exits 1 with `--check` if there is something to add, 2 for a project that `accord new` did not write. */
const upgrade: Subcommand = (command) => {
  command
    .description(DESCRIPTION)
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
      const { ok, report } = await generate(await readContracts(root), { root });
      console.log(report);
      const prisma = join(root, 'prisma');
      const difference = await checkMigrations({
        folder: join(prisma, 'migrations'),
        schema: join(prisma, 'schema.prisma'),
      });
      if (difference !== undefined)
        console.log(`\nThe migrations do not result in prisma/schema.prisma. The differences:\n${difference}`);
      if (!ok || difference !== undefined) process.exitCode = EXIT.found;
      console.log(NEXT);
    });
};

export default upgrade;
