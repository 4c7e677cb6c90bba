/** A model or an enum of a Prisma schema, as it is written. */
export interface Block {
  /** `model User`. */
  name: string;
  /** With its comments. */
  text: string;
  /** Its members, in order, each with the comments above it. */
  members: Member[];
}

export interface Member {
  name: string;
  /** Its line, or lines, with their end. */
  text: string;
}

const BLOCK = /^(?:\/\/\/.*\n)*((?:model|enum) (\w+)) \{\n([\s\S]*?)^\}\n/gm;
/** The models and enums of a schema, in order. */
export const blocksOf = (schema: string): Block[] =>
  [...schema.matchAll(BLOCK)].map(([text, name = '', , body = '']) => ({ name, text, members: membersOf(body) }));

/** Comments before a member go with it. `@@map` and its like are members that are called so. */
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

/** What a member is, whatever stands above it and however it is aligned. */
const meaning = ({ text }: Member) => (text.trimEnd().split('\n').at(-1) ?? '').trim().replaceAll(/\s+/g, ' ');

interface Merged {
  text: string;
  /** What was added or is another now: `User.networks`, `KnownNetwork`. */
  changed: string[];
}

const nameOf = (block: string) => block.split(' ')[1] ?? '';

/**
 * A schema with some models and enums as they are now. Members that are not among theirs stay: they are the team's.
 * @param schema as it is
 * @param wanted the blocks as they are to be
 */
export function merged(schema: string, wanted: readonly Block[]): Merged {
  const changed: string[] = [];
  const text = wanted.reduce((so, block) => {
    const present = blocksOf(so).find(({ name }) => name === block.name);
    if (present === undefined) {
      changed.push(nameOf(block.name));
      return `${so}\n${block.text}`;
    }
    return so.replace(present.text, () => withMembers(present, block, changed));
  }, schema);
  return { text, changed };
}

function withMembers({ text, name: block, members }: Block, wanted: Block, changed: string[]): string {
  let after = '';
  return wanted.members.reduce((so, member) => {
    const present = members.find(({ name }) => name === member.name);
    const previous = after;
    after = present?.text ?? member.text;
    if (present !== undefined && meaning(present) === meaning(member)) return so;
    changed.push(`${nameOf(block)}.${member.name}`);
    if (present !== undefined) {
      after = member.text;
      return so.replace(present.text, () => member.text);
    }
    return previous === ''
      ? so.replace('{\n', (line) => line + member.text)
      : so.replace(previous, (one) => one + member.text);
  }, text);
}
