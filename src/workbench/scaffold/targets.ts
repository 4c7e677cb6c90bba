import type { Permission, Schema } from '@accord-api/platform/contract/document';
import { type Operation, schemaName } from '@accord-api/platform/contract/openapi';
import type { FieldDefinitionNode } from 'graphql';
import type { Project, SourceFile } from 'ts-morph';
import type { Contracts } from '../model/contracts.js';
import { isList, namedType } from '../model/sdl-source.js';
import { type Models, openModels, refersTo, type TargetModel } from './models.js';
import type { Change } from './report.js';
import { importNamed, MARKER } from './source-edits.js';

/** The properties of an operation or a root field that decide its target. */
interface Subject {
  permission: Permission;
  verb: 'read' | 'create' | 'remove' | 'change';
  /** Path parameters, outermost first, or arguments, with the nouns of their models: `user_id`: user. */
  keys: { key: string; noun: string }[];
  result: { noun: string; shape: 'one' | 'list' | 'connection' } | undefined;
  /** True if the keys are a path, in which each row belongs to the one before. */
  isPath: boolean;
}

/** A target such as `record(Post, 'post_id')`. */
interface Proposal {
  text: string;
  models: TargetModel[];
}

/** The text of a new member, and the changes that it needs in other files. */
export interface Stub {
  text: string;
  changes: Change[];
}

export interface Stubs {
  ofOperation: (operation: Operation, file: SourceFile) => Stub;
  ofField: (type: string, name: string, field: FieldDefinitionNode | undefined, file: SourceFile) => Stub;
}

type Schemas = Readonly<Record<string, Schema>>;

const HINT = `// Name the target, as in route({ target: record(Model, 'id'), … }): record, removal, list or create.`;
/** The functions of the platform that make a target. */
const FUNCTIONS = ['caller', 'connection', 'create', 'list', 'record', 'removal'];

const singular = (noun: string): string => noun.replace(/ies$/, 'y').replace(/s$/, '');
/** `user_id`, `userId` and `user` name a user. */
const nounOf = (key: string): string => key.replace(/_?id$/i, '');

/**
 * Returns the stubs of routes: a proposed target, and a handler that is not written. Without a proposal the stub is the marker alone,
 * below a comment. Public operations and fields of other types are functions.
 */
export function stubs(project: Project, root: string, { openapi, prisma, permissions }: Contracts): Stubs {
  const models = openModels(project, root, prisma.models);
  const schemas = openapi.document.components?.schemas ?? {};
  const { statements } = permissions;
  const bare = (name: string): Stub => ({ text: `${name}: ${MARKER},`, changes: [] });

  function route(name: string, subject: Subject, file: SourceFile): Stub {
    const proposal = models && propose(subject, models);
    const imports = [
      ...FUNCTIONS.filter((one) => proposal?.text.includes(`${one}(`)).map(
        (one) => ['@accord-api/platform', one] as const,
      ),
      ...(proposal?.models ?? []).map(({ constant }) => ['../models.js', constant] as const),
      ['../routes.js', 'route'] as const,
    ];
    if (!models || !proposal || !imports.every(([module, one]) => isFree(file, module, one)))
      return { text: `${HINT}\n  ${name}: ${MARKER},`, changes: [] };
    for (const [module, one] of imports) importNamed(file, module, one);
    const { action } = subject.permission;
    const read = action.replace(/\.[^.]*$/, '.read');
    const isStated = statements.some((one) => one.permission.action === read);
    return {
      text: `${name}: route({ target: ${proposal.text}, handler: ${MARKER} }),`,
      changes: proposal.models.flatMap((one) => models.declare(one, isStated ? read : action)),
    };
  }

  return {
    ofOperation(operation, file) {
      const { operationId, permission } = operation;
      if (permission === 'public') return bare(operationId);
      return route(operationId, subjectOfOperation(operation, permission, schemas), file);
    },
    ofField(type, name, field, file) {
      const permission = statements.find(({ by }) => by === `${type}.${name}`)?.permission;
      if (type === 'Subscription' || !permission || !field) return bare(name);
      return route(name, subjectOfField(type, field, permission), file);
    },
  };
}

/** Returns true if a name means nothing in a file, or what the module exports under it. */
function isFree(file: SourceFile, module: string, name: string): boolean {
  for (const one of file.getImportDeclarations()) {
    for (const named of one.getNamedImports()) {
      if ((named.getAliasNode() ?? named.getNameNode()).getText() !== name) continue;
      return (
        one.getModuleSpecifierValue() === module && !one.isTypeOnly() && !named.isTypeOnly() && !named.getAliasNode()
      );
    }
  }
  return !file.getVariableDeclaration(name) && !file.getFunction(name);
}

function subjectOfOperation({ method, path, operation }: Operation, permission: Permission, schemas: Schemas): Subject {
  const segments = path.split('/');
  const keys = segments.flatMap((segment, index) => {
    const [, key] = /^\{(\w+)\}$/.exec(segment) ?? [];
    return key === undefined ? [] : [{ key, noun: nounOf(key) || singular(segments[index - 1] ?? '') }];
  });
  const last = segments.at(-1) ?? '';
  const isRow = last.startsWith('{');
  const success = Object.entries(operation.responses).find(([status]) => status < '300')?.[1];
  const result = resultOf(Object.values(success?.content ?? {})[0]?.schema, schemas);
  const creates = method === 'POST' && !isRow && operation.responses['201'] !== undefined;
  const verb = method === 'GET' ? 'read' : creates ? 'create' : method === 'DELETE' && isRow ? 'remove' : 'change';
  return {
    permission,
    keys,
    isPath: true,
    verb,
    result: result ?? (creates ? { noun: singular(last), shape: 'one' } : undefined),
  };
}

/** Returns what an answer contains: `Order`, a list of orders, or a page with `items`. */
function resultOf(schema: Schema | undefined, schemas: Schemas, depth = 0): Subject['result'] {
  if (!schema || depth > 4) return undefined;
  const name = schemaName(schema);
  const stated = name === undefined ? schema : schemas[name];
  const [choice] = stated?.oneOf ?? stated?.anyOf ?? [];
  if (choice) return resultOf(choice as Schema, schemas, depth + 1);
  const items = stated?.type === 'array' ? stated.items : (stated?.properties?.['items'] as Schema | undefined)?.items;
  const item = resultOf(items as Schema | undefined, schemas, depth + 1);
  return item ? { ...item, shape: 'list' } : name === undefined ? undefined : { noun: name, shape: 'one' };
}

const MUTATIONS: Record<string, Subject['verb']> = {
  create: 'create',
  add: 'create',
  delete: 'remove',
  remove: 'remove',
};

function subjectOfField(type: string, field: FieldDefinitionNode, permission: Permission): Subject {
  const name = field.name.value;
  const [verb = ''] = /^[a-z]+/.exec(name) ?? [];
  const result = namedType(field.type);
  const noun = type === 'Mutation' && /^(delete|remove)$/.test(verb) ? name.slice(verb.length) : result;
  const keys = (field.arguments ?? []).flatMap((argument) => {
    const key = argument.name.value;
    const isKey = /id$/i.test(key) && ['ID', 'Int'].includes(namedType(argument.type));
    return isKey ? [{ key, noun: nounOf(key) || noun }] : [];
  });
  const shape = isList(field.type) ? 'list' : result.endsWith('Connection') ? 'connection' : 'one';
  return {
    permission,
    keys,
    isPath: false,
    verb: type === 'Query' ? 'read' : (MUTATIONS[verb] ?? 'change'),
    result: { noun: result.replace(/Connection$/, ''), shape },
  };
}

/** Returns the target of a subject; undefined where it is unclear, or does not decide what the permission needs. */
function propose({ permission, verb, keys, result, isPath }: Subject, { find }: Models): Proposal | undefined {
  const all = keys.map(({ key, noun }) => ({ key, model: find(noun) }));
  const rows = all.flatMap(({ key, model }) => (model ? [{ key, model }] : []));
  if (isPath && rows.length < all.length) return undefined;
  const [row, parent] = rows.toReversed();
  const model = result && find(result.noun);
  const reaches = Object.values(permission);
  const isOwned = reaches.includes('own');
  const record = (one: NonNullable<typeof row>) => `record(${one.model.constant}, '${one.key}')`;

  if (verb === 'create') {
    const owns = isPath && row;
    const canDecide = owns ? row.model.hasOwner : model?.hasOwner && !reaches.includes('any');
    if (!model || (isOwned && !canDecide)) return undefined;
    if (!row) return { text: `create(${model.constant})`, models: [model] };
    return {
      text: `create(${model.constant}, { ${isPath ? 'of' : 'on'}: ${record(row)} })`,
      models: [model, row.model],
    };
  }
  if (verb === 'read' && model && result.shape !== 'one') {
    if (isOwned && !(row ?? { model }).model.hasOwner) return undefined;
    if (result.shape === 'connection' || !row) return { text: `${result.shape}(${model.constant})`, models: [model] };
    if (!refersTo(model, row.model)) return undefined;
    return { text: `list(${model.constant}, { of: ${record(row)} })`, models: [model, row.model] };
  }
  if (!row) {
    const isAccount = verb === 'read' && model?.stored.name === 'User' && all.length === 0;
    return isAccount ? { text: `caller(${model.constant})`, models: [model] } : undefined;
  }
  if (isOwned && !row.model.hasOwner) return undefined;
  if (verb === 'remove') return { text: record(row).replace('record', 'removal'), models: [row.model] };
  if (!isPath || !parent) return { text: record(row), models: [row.model] };
  if (!refersTo(row.model, parent.model)) return undefined;
  return { text: `${record(row).slice(0, -1)}, { of: ${record(parent)} })`, models: [row.model, parent.model] };
}
