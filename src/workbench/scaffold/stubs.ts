import { join } from 'node:path';
import type { RestOperation } from '@accord-api/platform/contract/openapi';
import { type FieldDefinitionNode, type GraphQLAbstractType, Kind, print } from 'graphql';
import { Project } from 'ts-morph';
import { isList, namedType, type SdlSource } from '../model/sdl-source.js';
import { MANIPULATION_SETTINGS } from './source-edits.js';

/** The fields of each object type, in the order of the SDL. An interface or a union has `__resolveType`. */
export type Types = ReadonlyMap<string, ReadonlyMap<string, { about: string; field?: FieldDefinitionNode }>>;

/** Returns the types with resolvers. Code generation ignores extensions as well. */
export function typesOf({ document: { definitions }, schema }: SdlSource): Types {
  return new Map(
    definitions.flatMap((definition): [string, ReturnType<Types['get']> & {}][] => {
      if (definition.kind === Kind.UNION_TYPE_DEFINITION || definition.kind === Kind.INTERFACE_TYPE_DEFINITION) {
        const possible = schema.getPossibleTypes(schema.getType(definition.name.value) as GraphQLAbstractType);
        return [[definition.name.value, new Map([['__resolveType', { about: possible.join(' | ') }]])]];
      }
      if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return [];
      const fields = (definition.fields ?? []).map(
        (field) => [field.name.value, { about: print(field.type), field }] as const,
      );
      return [[definition.name.value, new Map(fields)]];
    }),
  );
}

export type RequiredFields = ReadonlyMap<string, ReadonlySet<string>>;

export const emptyProject = (root: string) =>
  new Project({
    tsConfigFilePath: join(root, 'tsconfig.json'),
    skipAddingFilesFromTsConfig: true,
    skipFileDependencyResolution: true,
    manipulationSettings: MANIPULATION_SETTINGS,
  });

/** Returns the resolvers that the types in `generated/graphql.ts` require. */
export function requiredFields(
  root: string,
  { 'graphql.ts': generated = '', 'policy.ts': policy = '' }: Readonly<Record<string, string>>,
  types: Types,
): RequiredFields {
  // The context imports the whole service, and does not affect the fields.
  const text = generated.replace(/^import type \{ GraphQLContext \} from .*;$/m, 'type GraphQLContext = unknown;');
  const project = emptyProject(root);
  const write = (name: string, source: string) =>
    project.createSourceFile(join(root, 'generated', name), source, { overwrite: true });
  write('policy.ts', policy);
  const file = write('graphql.ts', text);
  const required = (type: string) => {
    const resolvers = file.getTypeAlias(`${type}Routes`) ?? file.getInterface(`${type}Resolvers`);
    return (resolvers?.getType().getProperties() ?? []).filter((property) => !property.isOptional());
  };
  return new Map([...types.keys()].map((type) => [type, new Set(required(type).map((symbol) => symbol.getName()))]));
}

const comment = (target: string) => `// route({ target: ${target}, handler: … })`;

/** Returns the model that a word of a contract probably means: `post_id`, `postId` and `posts` mean Post. */
const modelOf = (word: string): string =>
  word
    .replace(/_?id$/i, '')
    .replace(/ies$/, 'y')
    .replace(/s$/, '')
    .replace(/(?:^|[_-])(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Returns the comment behind the stub of an operation: a route with the target that the contract suggests. */
export function operationComment({
  method,
  path,
  operation,
}: Pick<RestOperation, 'method' | 'path' | 'operation'>): string {
  const segments = path.split('/');
  const last = segments.at(-1) ?? '';
  const rows = segments.flatMap((segment, index) => {
    const [, key] = /^\{(\w+)\}$/.exec(segment) ?? [];
    return key === undefined ? [] : [`${modelOf(key === 'id' ? (segments[index - 1] ?? '') : key)}, '${key}'`];
  });
  const [row, parent] = rows.toReversed();
  const isRow = last.startsWith('{');
  const make = method === 'GET' ? 'list' : '201' in operation.responses ? 'create' : undefined;
  if (!isRow && make) return comment(`${make}(${modelOf(last)}${row ? `, { of: record(${row}) }` : ''})`);
  if (row === undefined) return comment('caller(User)');
  if (isRow && method === 'DELETE') return comment(`removal(${row})`);
  return comment(`record(${row}${isRow && parent ? `, { of: record(${parent}) }` : ''})`);
}

/** Returns the comment behind the stub of a root field: a route with the target that its name, arguments and type suggest. */
export function fieldComment(root: string, { name, type, arguments: given = [] }: FieldDefinitionNode): string {
  const result = namedType(type).replace(/Connection$/, '');
  const [verb = ''] = /^[a-z]+/.exec(name.value) ?? [];
  const noun = name.value.slice(verb.length);
  const key = given.map((argument) => argument.name.value).findLast((name) => /id$/i.test(name));
  const isRemoval = root === 'Mutation' && /^(delete|remove)$/.test(verb);
  const row = key && `${key === 'id' ? (isRemoval ? noun : result) : modelOf(key)}, '${key}'`;
  if (root === 'Subscription') return comment(`stream(${result})`);
  if (root === 'Query' && result !== namedType(type)) return comment(`connection(${result})`);
  if (root === 'Query' && isList(type)) return comment(`list(${result}${row ? `, { of: record(${row}) }` : ''})`);
  if (root === 'Mutation' && /^(create|add)$/.test(verb))
    return comment(`create(${result}${row ? `, { on: record(${row}) }` : ''})`);
  if (row === undefined) return comment('caller(User)');
  return comment(`${isRemoval ? 'removal' : 'record'}(${row})`);
}
