import { attributeOf, nativeType, type PrismaField, type PrismaSource } from '../model/prisma-schema.js';
import { type Contract, FILES, type Member, type Named } from './contract.js';

const SCALARS: Record<string, string> = {
  Int: 'integer',
  BigInt: 'bigint',
  Float: 'number',
  Decimal: 'number',
  String: 'string',
  Boolean: 'boolean',
  DateTime: 'time',
  Json: 'json',
  Bytes: 'bytes',
};

/** Matches `VarChar(100)` and `Char(3)`, with the maximum length. */
const LENGTH = /^(?:VarChar|Char)\((\d+)\)$/;

const namedAt = ({ name, line, column }: { name: string; line: number; column: number }, text: string): Named => ({
  name,
  location: { file: FILES.prisma, side: 'prisma', line, column, length: name.length, text },
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
  return {
    ...namedAt(field, [`${type}${list ? '[]' : ''}${optional ? '?' : ''}`, ...attributes].join(' ')),
    key: name,
    ...(type in SCALARS
      ? { type: native === 'Uuid' ? 'uuid' : (SCALARS[type] ?? 'any') }
      : { type: enums.includes(type) ? 'enum' : 'object', typeName: type }),
    isList: list,
    isOptional: optional,
    limits: length === undefined ? {} : { maxLength: Number(length) },
    isUnique: has('@id') || has('@unique'),
    hasDefault: has('@default') || has('@updatedAt'),
  };
}

export function readPrisma({ models, enums }: PrismaSource): Contract {
  const names = enums.map(({ name }) => name);
  return {
    types: models.map((model) => ({
      ...namedAt(model, `model ${model.name}`),
      members: model.fields.map((field) => memberOf(field, names)),
    })),
    enumerations: enums.map((one) => ({
      ...namedAt(one, `enum ${one.name}`),
      values: one.values.map((value) => namedAt(value, value.name)),
    })),
    operations: [],
    errorLists: [],
  };
}
