import { attributeOf, nativeType, type PrismaField, type PrismaSource } from '../model/prisma-schema.js';
import { type Contract, FILES, type Member, type Value } from './sides.js';

const SCALARS = new Set(['Int', 'BigInt', 'Float', 'Decimal', 'String', 'Boolean', 'DateTime', 'Json', 'Bytes']);

/** `VarChar(100)` and `Char(3)`: the greatest length. */
const LENGTH = /^(?:VarChar|Char)\((\d+)\)$/;

const valueAt = ({ name, line, column }: { name: string; line: number; column: number }, says: string): Value => ({
  name,
  where: { file: FILES.prisma, side: 'prisma', line, column, length: name.length, says },
});

function memberOf(field: PrismaField, enums: readonly string[]): Member {
  const { name, type, list, optional } = field;
  const has = (attribute: string) => attributeOf(field, attribute) !== undefined;
  const native = nativeType(field);
  const length = LENGTH.exec(native ?? '')?.[1];
  const attributes = field.attributes.flatMap((one) => {
    if (one.name === '@id') return ['@id'];
    return one.name.startsWith('@db.') ? [`@db.${native}`] : [];
  });
  const kind = enums.includes(type) ? 'enum' : 'object';
  return {
    ...valueAt(field, [`${type}${list ? '[]' : ''}${optional ? '?' : ''}`, ...attributes].join(' ')),
    key: name,
    ...(SCALARS.has(type)
      ? { type: type === 'String' && native === 'Uuid' ? 'uuid' : type }
      : { type: kind, of: type }),
    list,
    optional,
    limits: length === undefined ? {} : { maxLength: Number(length) },
    unique: has('@id') || has('@unique'),
    filled: has('@default') || has('@updatedAt'),
  };
}

/** Reads the models and enums of a Prisma schema. */
export function readPrisma({ models, enums }: PrismaSource): Contract {
  const names = enums.map(({ name }) => name);
  return {
    shapes: models.map((model) => ({
      ...valueAt(model, `model ${model.name}`),
      members: model.fields.map((field) => memberOf(field, names)),
    })),
    enumerations: enums.map((one) => ({
      ...valueAt(one, `enum ${one.name}`),
      values: one.values.map((value) => valueAt(value, value.name)),
    })),
    calls: [],
    catalogues: [],
  };
}
