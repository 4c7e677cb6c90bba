import {
  type ConstDirectiveNode,
  type DocumentNode,
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
import { codesIn } from './error-policy.js';
import {
  type Call,
  type Contract,
  codeTable,
  keyOf,
  type Limits,
  type Member,
  type Value,
  type Where,
} from './side.js';

type ObjectType = ObjectTypeDefinitionNode | ObjectTypeExtensionNode;

const SCALARS = new Set(['ID', 'Int', 'Float', 'String', 'Boolean']);

const at = (name: NameNode, says: string): Where => ({ side: 'graphql', ...placeOf(name), says });

interface Declared {
  enums: Set<string>;
  objects: Set<string>;
}

const typeOf = (type: TypeNode, { enums, objects }: Declared): Pick<Member, 'type' | 'of'> => {
  const name = namedType(type);
  if (enums.has(name)) return { type: 'enum', of: name };
  if (objects.has(name)) return { type: 'object', of: name };
  // A custom scalar is known by its usual name or not at all.
  return { type: SCALARS.has(name) || name === 'DateTime' ? name : 'any' };
};

const said = (type: TypeNode, directives: readonly ConstDirectiveNode[] = []) =>
  [type, ...directives.filter(({ name }) => name.value === 'constraint')].map(print).join(' ');

function memberOf(node: FieldDefinitionNode | InputValueDefinitionNode, declared: Declared): Member {
  const { name, type, directives } = node;
  const given = node.kind === Kind.INPUT_VALUE_DEFINITION ? node.defaultValue : undefined;
  return {
    name: name.value,
    key: keyOf(name.value),
    where: at(name, said(type, directives)),
    ...typeOf(type, declared),
    list: isList(type),
    optional: !isNonNull(type) || given !== undefined,
    limits: constraintOf(directives) as Limits,
    default: given && valueFromASTUntyped(given),
    called: node.kind === Kind.FIELD_DEFINITION && (node.arguments ?? []).length > 0,
  };
}

/** The codes that a field's description names, in the paragraph that begins with "Errors". */
const errorsOf = ({ name, description }: FieldDefinitionNode): Value[] | undefined =>
  codesIn(description?.value ?? '', /^Errors\b/)?.map((code) => ({ name: code, where: at(name, `gives ${code}`) }));

function callsOf(root: ObjectType, document: DocumentNode, declared: Declared): Call[] {
  const inputs = document.definitions.filter((one) => one.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION);
  const spread = (argument: InputValueDefinitionNode): Member[] => {
    const input = inputs.find(({ name }) => name.value === namedType(argument.type));
    return (input?.fields ?? [argument]).map((one) => memberOf(one, declared));
  };
  return (root.fields ?? []).map((field) => ({
    name: `${root.name.value}.${field.name.value}`,
    where: at(field.name, `${root.name.value}.${field.name.value}`),
    permissions: permissionsOf(field).map((permission) => ({
      permission,
      where: at(
        field.directives?.find(({ name }) => name.value === 'permission')?.name ?? field.name,
        field.name.value,
      ),
    })),
    inputs: (field.arguments ?? []).flatMap(spread),
    written: root.name.value === 'Mutation' ? (field.arguments ?? []).flatMap(spread) : [],
    result: namedType(field.type),
    errors: errorsOf(field),
  }));
}

/** What a sound SDL says. */
export function readGraphql({ document, texts }: SdlSource): Contract {
  const { definitions } = document;
  const objects = definitions.filter(
    (one): one is ObjectType => one.kind === Kind.OBJECT_TYPE_DEFINITION || one.kind === Kind.OBJECT_TYPE_EXTENSION,
  );
  const enums = definitions.filter((one) => one.kind === Kind.ENUM_TYPE_DEFINITION);
  const declared = {
    enums: new Set(enums.map(({ name }) => name.value)),
    objects: new Set(objects.map(({ name }) => name.value)),
  };
  const table = codeTable('graphql', texts);
  return {
    shapes: objects
      .filter(({ kind, name }) => kind === Kind.OBJECT_TYPE_DEFINITION && !ROOTS.includes(name.value))
      .map(({ name }) => ({
        name: name.value,
        where: at(name, `type ${name.value}`),
        members: objects
          .filter((part) => part.name.value === name.value)
          .flatMap(({ fields = [] }) => fields.map((field) => memberOf(field, declared))),
      })),
    enumerations: enums.map(({ name, values = [] }) => ({
      name: name.value,
      where: at(name, `enum ${name.value}`),
      values: values.map((one) => ({ name: one.name.value, where: at(one.name, one.name.value) })),
    })),
    calls: objects
      .filter(({ name }) => ROOTS.includes(name.value))
      .flatMap((root) => callsOf(root, document, declared)),
    catalogues: table === undefined ? [] : [table],
  };
}
