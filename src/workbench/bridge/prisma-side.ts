import type { Contract, Enumeration, Member, Shape, Where } from './side.js';

const SCALARS = new Set(['Int', 'BigInt', 'Float', 'Decimal', 'String', 'Boolean', 'DateTime', 'Json', 'Bytes']);

/** name, type, `[]`, `?`, attributes. */
const FIELD = /^\s+(\w+)\s+(\w+)(\[\])?(\?)?(?:\s+(\S.*))?$/;

/** `@db.VarChar(100)` and `@db.Char(3)`: the greatest length. */
const LENGTH = /@db\.(?:VarChar|Char)\((\d+)\)/;

const without = (line: string) => (line.split('//')[0] as string).trimEnd();

function typeOf(type: string, attributes: string, enums: ReadonlySet<string>): Pick<Member, 'type' | 'of'> {
  if (enums.has(type)) return { type: 'enum', of: type };
  if (!SCALARS.has(type)) return { type: 'object', of: type };
  return { type: type === 'String' && attributes.includes('@db.Uuid') ? 'uuid' : type };
}

function memberOf(line: string, number: number, enums: ReadonlySet<string>): Member | undefined {
  const [, name, type = '', list, optional, attributes = ''] = FIELD.exec(line) ?? [];
  if (name === undefined) return undefined;
  const length = LENGTH.exec(attributes)?.[1];
  const said = [`${type}${list ?? ''}${optional ?? ''}`, ...(attributes.match(/@(id|db\.\w+(\(\d+\))?)/g) ?? [])];
  return {
    name,
    key: name,
    where: { side: 'prisma', line: number, column: line.indexOf(name) + 1, length: name.length, says: said.join(' ') },
    ...typeOf(type, attributes, enums),
    list: list !== undefined,
    optional: optional !== undefined,
    limits: length === undefined ? {} : { maxLength: Number(length) },
    unique: /@(id|unique)\b/.test(attributes),
    filled: /@(default|updatedAt)\b/.test(attributes),
  };
}

/** Models and enums of a Prisma schema, which is read line by line: its grammar has one field to a line. */
export function readPrisma(text: string): Pick<Contract, 'shapes' | 'enumerations'> {
  const lines = text.split('\n').map(without);
  const enums = new Set(lines.flatMap((line) => /^enum\s+(\w+)/.exec(line)?.[1] ?? []));
  const shapes: Shape[] = [];
  const enumerations: Enumeration[] = [];
  let block: string | undefined;
  for (const [index, line] of lines.entries()) {
    const whereOf = (word: string, says: string): Where => {
      return { side: 'prisma', line: index + 1, column: line.indexOf(word) + 1, length: word.length, says };
    };
    const [, opened, name = ''] = /^(\w+)\s+(\w+)\s*\{/.exec(line) ?? [];
    if (opened !== undefined) {
      block = opened;
      if (block === 'model') shapes.push({ name, where: whereOf(name, `model ${name}`), members: [] });
      if (block === 'enum') enumerations.push({ name, where: whereOf(name, `enum ${name}`), values: [] });
      continue;
    }
    const member = block === 'model' ? memberOf(line, index + 1, enums) : undefined;
    if (member !== undefined) shapes.at(-1)?.members.push(member);
    const value = block === 'enum' ? /^\s+(\w+)/.exec(line)?.[1] : undefined;
    if (value !== undefined) enumerations.at(-1)?.values.push({ name: value, where: whereOf(value, value) });
  }
  return { shapes, enumerations };
}
