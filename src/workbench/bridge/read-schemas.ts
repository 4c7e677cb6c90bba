import {
  type ConstDirectiveNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type NameNode,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  print,
  type TypeNode,
  valueFromASTUntyped,
} from 'graphql';
import { permissionsOf } from '../model/permissions.js';
import { attributeOf, nativeType, type PrismaField, type PrismaSource } from '../model/prisma-schema.js';
import { constraintOf, isList, isNonNull, namedType, placeOf, ROOTS, type SdlSource } from '../model/sdl-source.js';
import {
  type ComparedOperation,
  type Contract,
  codesIn,
  codeTable,
  keyOf,
  type Limits,
  type Member,
  type Named,
  SIDE_FILES,
} from './contract.js';

const SCALARS: Record<string, string> = {
  ID: 'id',
  Int: 'integer',
  Float: 'number',
  String: 'string',
  Boolean: 'boolean',
  DateTime: 'time',
};

const namedAt = (node: NameNode, text = node.value, name = node.value): Named => ({
  name,
  location: { side: 'graphql', ...placeOf(node), text },
});

const textOf = (type: TypeNode, directives: readonly ConstDirectiveNode[] = []) =>
  [type, ...directives.filter(({ name }) => name.value === 'constraint')].map(print).join(' ');

export function readGraphql({ document: { definitions }, texts }: SdlSource): Contract {
  const objects = definitions.filter(
    (definition): definition is ObjectTypeDefinitionNode | ObjectTypeExtensionNode =>
      definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.OBJECT_TYPE_EXTENSION,
  );
  const enums = definitions.filter((definition) => definition.kind === Kind.ENUM_TYPE_DEFINITION);
  const inputs = definitions.filter((definition) => definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION);
  const has = (all: readonly { name: NameNode }[], type: string) => all.some(({ name }) => name.value === type);

  function memberOf({ name, type, directives, ...node }: FieldDefinitionNode | InputValueDefinitionNode): Member {
    const named = namedType(type);
    const given = node.kind === Kind.INPUT_VALUE_DEFINITION ? node.defaultValue : undefined;
    const kind = has(enums, named) ? 'enum' : has(objects, named) ? 'object' : undefined;
    return {
      ...namedAt(name, textOf(type, directives)),
      key: keyOf(name.value),
      // Other custom scalars may contain anything.
      ...(kind ? { type: kind, typeName: named } : { type: SCALARS[named] ?? 'any' }),
      isList: isList(type),
      isOptional: !isNonNull(type) || given !== undefined,
      limits: constraintOf(directives) as Limits,
      default: given && valueFromASTUntyped(given),
    };
  }

  /** Replaces an argument of an input type by the fields of the type. */
  const spread = (argument: InputValueDefinitionNode): Member[] =>
    (inputs.find(({ name }) => name.value === namedType(argument.type))?.fields ?? [argument]).map(memberOf);

  function operationOf(root: string, field: FieldDefinitionNode): ComparedOperation {
    const { name, type, directives, description } = field;
    const args = (field.arguments ?? []).flatMap(spread);
    const directive = directives?.find((directive) => directive.name.value === 'permission')?.name ?? name;
    const { location } = namedAt(directive, name.value);
    const errors = description?.value.split(/\n\s*\n/).find((paragraph) => /^Errors\b/.test(paragraph.trim()));
    return {
      ...namedAt(name, `${root}.${name.value}`, `${root}.${name.value}`),
      permissions: permissionsOf(field).map((permission) => ({ permission, location })),
      inputs: args,
      written: root === 'Mutation' ? args : [],
      result: namedType(type),
      errors: errors === undefined ? undefined : codesIn(errors).map((code) => namedAt(name, `gives ${code}`, code)),
    };
  }

  return {
    types: objects
      .filter(({ kind, name }) => kind === Kind.OBJECT_TYPE_DEFINITION && !ROOTS.includes(name.value))
      .map(({ name }) => ({
        ...namedAt(name, `type ${name.value}`),
        members: objects
          .filter((part) => part.name.value === name.value)
          .flatMap(({ fields = [] }) => fields.map(memberOf)),
      })),
    enumerations: enums.map(({ name, values = [] }) => ({
      ...namedAt(name, `enum ${name.value}`),
      values: values.map((value) => namedAt(value.name)),
    })),
    operations: objects
      .filter(({ name }) => ROOTS.includes(name.value))
      .flatMap(({ name, fields = [] }) => fields.map((field) => operationOf(name.value, field))),
    errorLists: codeTable('graphql', texts),
  };
}

const PRISMA_SCALARS: Record<string, string> = {
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

const namedIn = ({ name, line, column }: { name: string; line: number; column: number }, text: string): Named => ({
  name,
  location: { file: SIDE_FILES.prisma, side: 'prisma', line, column, length: name.length, text },
});

function memberOf(field: PrismaField, enums: readonly string[]): Member {
  const { name, type, list, optional } = field;
  const has = (attribute: string) => attributeOf(field, attribute) !== undefined;
  const native = nativeType(field);
  const length = LENGTH.exec(native ?? '')?.[1];
  const attributes = field.attributes.flatMap((attribute) => {
    if (attribute.name === '@id') return ['@id'];
    return attribute.name.startsWith('@db.') ? [`@db.${native}`] : [];
  });
  return {
    ...namedIn(field, [`${type}${list ? '[]' : ''}${optional ? '?' : ''}`, ...attributes].join(' ')),
    key: name,
    ...(type in PRISMA_SCALARS
      ? { type: native === 'Uuid' ? 'uuid' : (PRISMA_SCALARS[type] ?? 'any') }
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
      ...namedIn(model, `model ${model.name}`),
      members: model.fields.map((field) => memberOf(field, names)),
    })),
    enumerations: enums.map((enumeration) => ({
      ...namedIn(enumeration, `enum ${enumeration.name}`),
      values: enumeration.values.map((value) => namedIn(value, value.name)),
    })),
    operations: [],
    errorLists: [],
  };
}
