import type { Permission, Schema } from '@accord-api/platform/contract/document';
import { type Operation, schemaName } from '@accord-api/platform/contract/openapi';
import type { Project, SourceFile } from 'ts-morph';
import type { Contracts } from '../model/contracts.js';
import type { Change } from './change.js';
import { MARKER } from './members.js';
import { type Models, openModels, type TargetModel } from './models.js';
import { importNamed } from './project-files.js';

/** One operation or root field, as far as its target depends on it. */
interface Subject {
  readonly permission: Permission;
  readonly verb: 'read' | 'create' | 'remove' | 'change';
  /** Path parameters, outermost first, or arguments, with the nouns of their models: `user_id`: user. */
  readonly keys: readonly { readonly key: string; readonly noun: string }[];
  readonly result: { readonly noun: string; readonly shape: 'one' | 'list' | 'connection' } | undefined;
  /** Whether the keys are a path, so that each row belongs to the one before. */
  readonly isPath: boolean;
}

interface Proposal {
  readonly text: string;
  /** The functions of the platform that the text calls. */
  readonly functions: readonly string[];
  readonly models: readonly TargetModel[];
}

/** The text of a new member, and what was changed for it in other files. */
export interface Stub {
  readonly text: string;
  readonly changes: readonly Change[];
}

export interface Stubs {
  readonly ofOperation: (operation: Operation, file: SourceFile) => Stub;
  readonly ofField: (type: string, field: string, signature: string, file: SourceFile) => Stub;
}

type Schemas = Readonly<Record<string, Schema>>;

const HINT = `// Name the target, as in route({ target: record(Model, 'id'), … }): record, removal, list or create.`;

const singular = (noun: string): string => noun.replace(/ies$/, 'y').replace(/s$/, '');
/** `user_id`, `userId` and `user` name a user. */
const nounOf = (key: string): string => key.replace(/_?id$/i, '');

/**
 * Returns the stubs of routes: the proposed target, and a handler that is not written. Where the target cannot be told, the stub is
 * the marker alone, below a comment that says so. Public operations and fields of other types are functions.
 */
export function stubs(project: Project, root: string, { openapi, prisma, permissions }: Contracts): Stubs {
  const models = openModels(project, root, prisma.models);
  const schemas = openapi.document.components?.schemas ?? {};
  const { statements } = permissions;
  const bare = (name: string): Stub => ({ text: `${name}: ${MARKER},`, changes: [] });

  function route(name: string, subject: Subject, file: SourceFile): Stub {
    const proposal = models && proposed(subject, models);
    const imports = proposal && [
      ...proposal.functions.map((one) => ['@accord-api/platform', one] as const),
      ...proposal.models.map(({ constant }) => ['../models.js', constant] as const),
      ['../routes.js', 'route'] as const,
    ];
    if (!models || !imports?.every(([module, one]) => isFree(file, module, one)))
      return { text: `${HINT}\n  ${name}: ${MARKER},`, changes: [] };
    for (const [module, one] of imports) importNamed(file, module, one, false);
    const { action } = subject.permission;
    const read = action.replace(/\.[^.]*$/, '.read');
    const isStated = statements.some((one) => one.permission.action === read);
    const changes = proposal?.models.flatMap((one) => models.declare(one, isStated ? read : action));
    return {
      text: `${name}: route({ target: ${proposal?.text}, handler: ${MARKER} }),`,
      changes: changes ?? [],
    };
  }

  return {
    ofOperation(operation, file) {
      const { operationId, permission } = operation;
      if (permission === 'public') return bare(operationId);
      return route(operationId, subjectOfOperation(operation, permission, schemas), file);
    },
    ofField(type, field, signature, file) {
      const permission = statements.find(({ by }) => by === `${type}.${field}`)?.permission;
      if (type === 'Subscription' || !permission) return bare(field);
      return route(field, subjectOfField(type, field, signature, permission), file);
    },
  };
}

/** Whether a name means nothing else in a file than the value of a module. */
function isFree(file: SourceFile, module: string, name: string): boolean {
  const isThere = file.getImportDeclarations().flatMap((one) =>
    one.getNamedImports().flatMap((named) => {
      const isOurs = one.getModuleSpecifierValue() === module && !one.isTypeOnly() && !named.isTypeOnly();
      return (named.getAliasNode() ?? named.getNameNode()).getText() === name ? [isOurs && !named.getAliasNode()] : [];
    }),
  );
  return isThere[0] ?? (!file.getVariableDeclaration(name) && !file.getFunction(name));
}

function subjectOfOperation({ method, path, operation }: Operation, permission: Permission, schemas: Schemas) {
  const segments = path.split('/');
  const keys = segments.flatMap((segment, index) => {
    const [, key] = /^\{(\w+)\}$/.exec(segment) ?? [];
    return key === undefined ? [] : [{ key, noun: nounOf(key) || singular(segments[index - 1] ?? '') }];
  });
  const last = segments.at(-1) ?? '';
  const isRow = last.startsWith('{');
  const success = Object.entries(operation.responses).find(([status]) => status < '300')?.[1];
  const result = shapeOf(Object.values(success?.content ?? {})[0]?.schema, schemas);
  const creates = method === 'POST' && !isRow && operation.responses['201'] !== undefined;
  return {
    permission,
    keys,
    isPath: true,
    verb: method === 'GET' ? 'read' : creates ? 'create' : method === 'DELETE' && isRow ? 'remove' : 'change',
    result: creates ? (result ?? { noun: singular(last), shape: 'one' }) : result,
  } as const;
}

/** What a schema of an answer shows: `Order`, a list of them, or a page with `items`. */
function shapeOf(schema: Schema | undefined, schemas: Schemas, depth = 0): Subject['result'] {
  if (!schema || depth > 4) return undefined;
  const name = schemaName(schema);
  const stated = name === undefined ? schema : schemas[name];
  const [choice] = stated?.oneOf ?? stated?.anyOf ?? [];
  if (choice) return shapeOf(choice as Schema, schemas, depth + 1);
  const items = stated?.type === 'array' ? stated.items : (stated?.properties?.['items'] as Schema | undefined)?.items;
  const item = items && shapeOf(items as Schema, schemas, depth + 1);
  return item ? { ...item, shape: 'list' } : name === undefined ? undefined : { noun: name, shape: 'one' };
}

function subjectOfField(type: string, field: string, signature: string, permission: Permission): Subject {
  const [, args = '', result = ''] = /^(?:\(([\s\S]*)\))?: (.+)$/.exec(signature) ?? [];
  const [verb = ''] = /^[a-z]+/.exec(field) ?? [];
  const named = result.replaceAll(/[[\]!]/g, '');
  const noun = type === 'Mutation' && /^(delete|remove)$/.test(verb) ? field.slice(verb.length) : named;
  const keys = [...args.matchAll(/\b(\w+): (?:ID|Int)\b/g)].flatMap(([, key = '']) =>
    /id$/i.test(key) ? [{ key, noun: nounOf(key) || noun }] : [],
  );
  const shape = result.startsWith('[') ? 'list' : named.endsWith('Connection') ? 'connection' : 'one';
  const verbs = { create: 'create', add: 'create', delete: 'remove', remove: 'remove' } as const;
  return {
    permission,
    keys,
    isPath: false,
    verb: type === 'Query' ? 'read' : ((verbs as Record<string, Subject['verb']>)[verb] ?? 'change'),
    result: { noun: named.replace(/Connection$/, ''), shape },
  };
}

/** The target of a subject; undefined where it cannot be told, or would not decide what the permission needs. */
function proposed({ permission, verb, keys, result, isPath }: Subject, { find }: Models): Proposal | undefined {
  const all = keys.map(({ key, noun }) => ({ key, model: find(noun) }));
  const rows = all.flatMap(({ key, model }) => (model ? [{ key, model }] : []));
  if (isPath && rows.length < all.length) return undefined;
  const [row, parent] = rows.toReversed();
  const model = result && find(result.noun);
  const reaches = Object.values(permission);
  const isOwned = reaches.includes('own');
  const text = (one: NonNullable<typeof row>) => `record(${one.model.constant}, '${one.key}')`;
  const made = (text: string, functions: string[], models: TargetModel[]): Proposal => ({ text, functions, models });

  if (verb === 'create') {
    const owns = isPath && row;
    const canDecide = owns ? row.model.hasOwner : model?.hasOwner && !reaches.includes('any');
    if (!model || (isOwned && !canDecide)) return undefined;
    if (!row) return made(`create(${model.constant})`, ['create'], [model]);
    const option = `{ ${isPath ? 'of' : 'on'}: ${text(row)} }`;
    return made(`create(${model.constant}, ${option})`, ['create', 'record'], [model, row.model]);
  }
  if (verb === 'read' && model && result.shape !== 'one') {
    if (isOwned && !(row ?? { model }).model.hasOwner) return undefined;
    if (result.shape === 'connection') return made(`connection(${model.constant})`, ['connection'], [model]);
    if (!row) return made(`list(${model.constant})`, ['list'], [model]);
    if (!model.refersTo(row.model)) return undefined;
    return made(`list(${model.constant}, { of: ${text(row)} })`, ['list', 'record'], [model, row.model]);
  }
  if (!row) {
    const isAccount = verb === 'read' && model?.name === 'User' && all.length === 0;
    return isAccount ? made(`caller(${model.constant})`, ['caller'], [model]) : undefined;
  }
  if (isOwned && !row.model.hasOwner) return undefined;
  if (verb === 'remove') return made(text(row).replace('record', 'removal'), ['removal'], [row.model]);
  if (!isPath || !parent) return made(text(row), ['record'], [row.model]);
  if (!row.model.refersTo(parent.model)) return undefined;
  return made(`${text(row).slice(0, -1)}, { of: ${text(parent)} })`, ['record'], [row.model, parent.model]);
}
