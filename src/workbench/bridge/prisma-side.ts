import { attributeOf, nativeType, type PrismaField, type PrismaSource } from '../model/prisma-schema.js';
import { type Contract, FILES, type Member, type Where } from './side.js';

const SCALARS = new Set(['Int', 'BigInt', 'Float', 'Decimal', 'String', 'Boolean', 'DateTime', 'Json', 'Bytes']);

/** `VarChar(100)` and `Char(3)`: the greatest length. */
const LENGTH = /^(?:VarChar|Char)\((\d+)\)$/;

function typeOf(type: string, native: string | undefined, enums: ReadonlySet<string>): Pick<Member, 'type' | 'of'> {
  if (enums.has(type)) return { type: 'enum', of: type };
  if (!SCALARS.has(type)) return { type: 'object', of: type };
  return { type: type === 'String' && native === 'Uuid' ? 'uuid' : type };
}

const whereOf = ({ name, line, column }: { name: string; line: number; column: number }, says: string): Where => ({
  file: FILES.prisma,
  side: 'prisma',
  line,
  column,
  length: name.length,
  says,
});

function memberOf(field: PrismaField, enums: ReadonlySet<string>): Member {
  const { name, type, list, optional } = field;
  const has = (attribute: string) => attributeOf(field, attribute) !== undefined;
  const native = nativeType(field);
  const length = LENGTH.exec(native ?? '')?.[1];
  const attributes = field.attributes.flatMap((one) => {
    if (one.name === '@id') return ['@id'];
    return one.name.startsWith('@db.') ? [`@db.${native}`] : [];
  });
  return {
    name,
    key: name,
    where: whereOf(field, [`${type}${list ? '[]' : ''}${optional ? '?' : ''}`, ...attributes].join(' ')),
    ...typeOf(type, native, enums),
    list,
    optional,
    limits: length === undefined ? {} : { maxLength: Number(length) },
    unique: has('@id') || has('@unique'),
    filled: has('@default') || has('@updatedAt'),
  };
}

/** Models and enums of a Prisma schema. */
export function readPrisma({ models, enums }: PrismaSource): Pick<Contract, 'shapes' | 'enumerations'> {
  const names = new Set(enums.map(({ name }) => name));
  return {
    shapes: models.map((model) => ({
      name: model.name,
      where: whereOf(model, `model ${model.name}`),
      members: model.fields.map((field) => memberOf(field, names)),
    })),
    enumerations: enums.map((one) => ({
      name: one.name,
      where: whereOf(one, `enum ${one.name}`),
      values: one.values.map((value) => ({ name: value.name, where: whereOf(value, value.name) })),
    })),
  };
}
