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
import { constraintOf, isList, isNonNull, namedType, placeOf, ROOTS, type SdlSource } from '../model/sdl-source.js';
import { type Call, type Contract, codesIn, codeTable, keyOf, type Limits, type Member, type Value } from './sides.js';

const SCALARS = new Set(['ID', 'Int', 'Float', 'String', 'Boolean', 'DateTime']);

const valueAt = (node: NameNode, says = node.value, name = node.value): Value => ({
  name,
  where: { side: 'graphql', ...placeOf(node), says },
});

const said = (type: TypeNode, directives: readonly ConstDirectiveNode[] = []) =>
  [type, ...directives.filter(({ name }) => name.value === 'constraint')].map(print).join(' ');

/** Reads a sound SDL. */
export function readGraphql({ document: { definitions }, texts }: SdlSource): Contract {
  const objects = definitions.filter(
    (one): one is ObjectTypeDefinitionNode | ObjectTypeExtensionNode =>
      one.kind === Kind.OBJECT_TYPE_DEFINITION || one.kind === Kind.OBJECT_TYPE_EXTENSION,
  );
  const enums = definitions.filter((one) => one.kind === Kind.ENUM_TYPE_DEFINITION);
  const inputs = definitions.filter((one) => one.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION);
  const has = (all: readonly { name: NameNode }[], type: string) => all.some(({ name }) => name.value === type);

  function memberOf({ name, type, directives, ...node }: FieldDefinitionNode | InputValueDefinitionNode): Member {
    const named = namedType(type);
    const given = node.kind === Kind.INPUT_VALUE_DEFINITION ? node.defaultValue : undefined;
    const kind = has(enums, named) ? 'enum' : has(objects, named) ? 'object' : undefined;
    return {
      ...valueAt(name, said(type, directives)),
      key: keyOf(name.value),
      // A custom scalar is known by its usual name only.
      ...(kind ? { type: kind, of: named } : { type: SCALARS.has(named) ? named : 'any' }),
      list: isList(type),
      optional: !isNonNull(type) || given !== undefined,
      limits: constraintOf(directives) as Limits,
      default: given && valueFromASTUntyped(given),
    };
  }

  /** Replaces an argument of an input type by the fields of the type. */
  const spread = (argument: InputValueDefinitionNode): Member[] =>
    (inputs.find(({ name }) => name.value === namedType(argument.type))?.fields ?? [argument]).map(memberOf);

  function callOf(root: string, field: FieldDefinitionNode): Call {
    const { name, type, directives, description } = field;
    const taken = (field.arguments ?? []).flatMap(spread);
    const marked = directives?.find((one) => one.name.value === 'permission')?.name ?? name;
    const { where } = valueAt(marked, name.value);
    const errors = description?.value.split(/\n\s*\n/).find((paragraph) => /^Errors\b/.test(paragraph.trim()));
    return {
      ...valueAt(name, `${root}.${name.value}`, `${root}.${name.value}`),
      permissions: permissionsOf(field).map((permission) => ({ permission, where })),
      inputs: taken,
      written: root === 'Mutation' ? taken : [],
      result: namedType(type),
      errors: errors === undefined ? undefined : codesIn(errors).map((code) => valueAt(name, `gives ${code}`, code)),
    };
  }

  return {
    shapes: objects
      .filter(({ kind, name }) => kind === Kind.OBJECT_TYPE_DEFINITION && !ROOTS.includes(name.value))
      .map(({ name }) => ({
        ...valueAt(name, `type ${name.value}`),
        members: objects
          .filter((part) => part.name.value === name.value)
          .flatMap(({ fields = [] }) => fields.map(memberOf)),
      })),
    enumerations: enums.map(({ name, values = [] }) => ({
      ...valueAt(name, `enum ${name.value}`),
      values: values.map((one) => valueAt(one.name)),
    })),
    calls: objects
      .filter(({ name }) => ROOTS.includes(name.value))
      .flatMap(({ name, fields = [] }) => fields.map((field) => callOf(name.value, field))),
    catalogues: codeTable('graphql', texts),
  };
}
