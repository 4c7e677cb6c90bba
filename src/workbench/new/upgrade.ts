import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Block, blocksOf, type Member, merged } from './prisma-blocks.js';
import { projectFiles } from './template.js';

const SCHEMA = join('prisma', 'schema.prisma');
const MIGRATIONS = join('prisma', 'migrations');
/** Where the platform's own begins in the schema of a new project. */
const PLATFORM = "\n// The platform's own";
/** The tables that every project began with, and each change of them since, by its number. */
const BASE = '0_platform';
const STEP = /^prisma\/migrations\/0_(platform_\d\d_\w+)\/migration\.sql$/;

/** What cannot be brought to another version; the message is a sentence for whoever asked. */
export class NoUpgrade extends Error {
  override readonly name = 'NoUpgrade';
}

/** What a project lacks of the platform's tables. */
interface Upgrade {
  /** Files to be written, from the root of the project, and their text. */
  files: Map<string, string>;
  /** What of the schema is added or another: `User.networks`, `KnownNetwork`. */
  changed: string[];
}

/** The platform's models as they are now. What of them leads to the team's own models is no part of them. */
function platformBlocks(template: string): Block[] {
  const all = blocksOf(template);
  const own = blocksOf(template.slice(template.indexOf(PLATFORM)));
  const teams = all.filter(({ name }) => own.every((one) => one.name !== name)).map(({ name }) => name.split(' ')[1]);
  const leadsAway = ({ name, text }: Member) => {
    const [, type] = new RegExp(`^ *${name} +(\\w+)`, 'm').exec(text) ?? [];
    return teams.includes(type);
  };
  return own.map((block) => ({ ...block, members: block.members.filter((member) => !leadsAway(member)) }));
}

/**
 * What the installed version has of tables that a project has not: its migrations, which are the platform's word for word and
 * get their place behind all that the project has, and what they make of its schema.
 * @param root of the project
 * @param now the time that the names of the migrations carry
 * @throws NoUpgrade where the project did not begin with the platform's tables
 */
export async function upgradeOf(root: string, now = new Date()): Promise<Upgrade> {
  const present = await readdir(join(root, MIGRATIONS)).catch((): string[] => []);
  if (!present.includes(BASE))
    throw new NoUpgrade(`${join(root, MIGRATIONS)} has no ${BASE}: this is no project that \`accord new\` began.`);
  const template = await projectFiles([]);
  const steps = [...template].flatMap(([path, script]) => {
    const [, step] = STEP.exec(path) ?? [];
    return step === undefined || present.some((name) => name.endsWith(`_${step}`)) ? [] : [{ step, script }];
  });
  const stamp = now.toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const files = new Map<string, string>();
  for (const { step, script } of steps.sort((one, other) => one.step.localeCompare(other.step)))
    files.set(join(MIGRATIONS, `${stamp}_${step}`, 'migration.sql'), script);
  const schema = await readFile(join(root, SCHEMA), 'utf8');
  const { text, changed } = merged(schema, platformBlocks(template.get(SCHEMA) ?? ''));
  if (text !== schema) files.set(SCHEMA, text);
  return { files, changed };
}
