import type { Operation } from '@accord-api/platform/contract/openapi';
import type { FieldDefinitionNode } from 'graphql';
import { isList, namedType } from '../model/sdl-source.js';

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
}: Pick<Operation, 'method' | 'path' | 'operation'>): string {
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
  const key = given.map((argument) => argument.name.value).findLast((one) => /id$/i.test(one));
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
