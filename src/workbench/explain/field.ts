import {
  type ASTNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  print,
  type TypeNode,
} from 'graphql';
import type { OpenApiSource } from '../model/openapi-source.js';
import { permissionsOf } from '../model/permissions.js';
import { constraintOf, placeOf, type SdlSource } from '../model/sdl-source.js';
import type { Explanation, Part, Said } from './explanation.js';
import { permissionWords } from './permission-words.js';
import { schemaWords } from './schema-words.js';

type Member = FieldDefinitionNode | InputValueDefinitionNode;

/** The field of a type, an interface or an input, extensions of it included. */
function memberOf({ definitions }: DocumentNode, type: string, field: string): Member | undefined {
  return definitions
    .flatMap((one): readonly Member[] => {
      const hasFields =
        one.kind === Kind.OBJECT_TYPE_DEFINITION ||
        one.kind === Kind.OBJECT_TYPE_EXTENSION ||
        one.kind === Kind.INTERFACE_TYPE_DEFINITION ||
        one.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION;
      return hasFields && one.name.value === type ? (one.fields ?? []) : [];
    })
    .find(({ name }) => name.value === field);
}

function saidAt(node: Pick<ASTNode, 'loc'>): Said {
  const { file, line, column } = placeOf(node);
  return { file, line, column };
}

const typeWords = (type: TypeNode, directives: Member['directives']): string => {
  const bounds = Object.entries(constraintOf(directives)).map(([name, value]) => `${name} ${value}`);
  return [print(type), ...bounds].join(', ');
};

/** What the SDL says of a field, `Query.user`; undefined where it has none of the name. */
export function explainField(source: SdlSource, name: string): Explanation | undefined {
  if (source.absent) return undefined;
  const [type = '', field = ''] = name.split('.');
  const member = memberOf(source.document, type, field);
  if (member === undefined) return undefined;
  const given = member.kind === Kind.FIELD_DEFINITION ? (member.arguments ?? []) : [];
  const permissions = member.kind === Kind.FIELD_DEFINITION ? permissionsOf(member) : [];
  return {
    name,
    what: `${field}: ${print(member.type)}`,
    at: saidAt(member.name),
    description: member.description?.value.trim() ?? '',
    sections: [
      {
        title: 'Who may',
        parts: permissions.map((permission) => ({
          name: permission.action,
          says: permissionWords(permission),
          at: saidAt(member.name),
        })),
      },
      {
        title: 'Takes',
        parts: given.map((argument) => ({
          name: argument.name.value,
          says: typeWords(argument.type, argument.directives),
          at: saidAt(argument.name),
        })),
      },
      {
        title: 'Answers',
        parts: [{ name: print(member.type), says: '', at: saidAt(member.type) }],
      },
    ],
  };
}

/** What the REST contract says of a member of a schema, `User.name`; undefined where it has none of the name. */
export function explainMember(source: OpenApiSource, name: string): Explanation | undefined {
  const [owner = '', member = ''] = name.split('.');
  const schema = source.written.components?.schemas?.[owner];
  const own = schema?.properties?.[member];
  if (schema === undefined || own === undefined) return undefined;
  const path = ['components', 'schemas', owner, 'properties', member];
  const { file, line, column } = source.placeOf(path, true);
  const at = { file, line, column };
  const isRequired = schema.required?.includes(member) === true;
  const says = `${schemaWords(own)}${isRequired ? ', always there' : ', may be absent'}`;
  const parts: Part[] = [{ name: member, says, at }];
  const description = typeof own === 'object' ? (own.description ?? '') : '';
  return { name, what: `a member of the schema ${owner}`, at, description, sections: [{ title: 'Is', parts }] };
}
