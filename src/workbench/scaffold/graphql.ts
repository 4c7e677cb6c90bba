import { join } from 'node:path';
import type { Project, SourceFile } from 'ts-morph';
import { ROOTS } from '../model/sdl.js';
import type { Before } from './before.js';
import type { Change, Pending } from './change.js';
import { insertStatement, removeWithComments, textOf } from './extent.js';
import { isStub, literalOf, propertiesOf } from './members.js';
import type { Types } from './object-types.js';
import { isParked, park, unpark } from './parked.js';
import { importMarker, importNamed, ownFile, removeUnusedImport } from './project-files.js';
import { reconcile } from './reconcile.js';
import { openRegistry } from './registry.js';
import type { Required } from './required.js';
import type { Stubs } from './targets.js';

const GENERATED = '../../../generated/graphql.js';
const REGISTRY = { path: 'src/application/graphql/resolvers.ts', constant: 'resolvers' };

const GONE = 'schema.graphql no longer has it.';

const pathOf = (type: string) => `src/application/graphql/${type}.ts`;
const typeOf = (type: string) => (ROOTS.includes(type) ? `${type}Routes` : `${type}Resolvers`);

/** What the GraphQL contract asks for, and asked for before. */
export interface GraphqlDemand {
  types: Types;
  /** The fields of each type that need a resolver, since its model does not have them as they are. */
  required: Required;
  before: Before;
  stubs: Stubs;
}

/** Makes the resolvers those that the GraphQL contract asks for, in memory. */
export function scaffoldGraphql(project: Project, root: string, demand: GraphqlDemand): Change[] {
  const registry = openRegistry(project, root, REGISTRY);
  const registered = registry.names();
  const needed = [...demand.types.keys()].filter((type) => {
    const file = project.getSourceFile(join(root, pathOf(type)));
    return demand.required.get(type)?.size || (file && isParked(file, type));
  });
  return [...new Set([...registered, ...needed])].flatMap((type) => {
    const file = ownFile(project, join(root, pathOf(type)));
    if (!demand.types.has(type)) return [...parkType(file, type), registry.remove(type, pathOf(type))];
    const made = literalOf(file, type) ? [] : [addType(file, type)];
    const changes = scaffoldType(file, type, demand);
    return [...made, ...changes, ...(registered.includes(type) ? [] : [registry.add(type, pathOf(type))])];
  });
}

function addType(file: SourceFile, type: string): Change {
  const parked = unpark(file, type);
  insertStatement(file, parked ?? `export const ${type}: ${typeOf(type)} = {};`);
  importNamed(file, GENERATED, typeOf(type), true);
  const detail = parked === undefined ? 'a new type' : 'a type that is back';
  return { kind: parked === undefined ? 'added' : 'restored', file: pathOf(type), name: type, detail };
}

function parkType(file: SourceFile, type: string): Change[] {
  const statement = file.getVariableStatement(type);
  if (statement === undefined) return [];
  const text = textOf(statement);
  removeWithComments(statement);
  park(file, type, GONE, text);
  removeUnusedImport(file, typeOf(type));
  return [{ kind: 'parked', file: pathOf(type), name: type, detail: GONE }];
}

function scaffoldType(file: SourceFile, type: string, { types, required, before, stubs }: GraphqlDemand): Change[] {
  const fields = types.get(type) ?? new Map<string, string>();
  const old = before.types?.get(type);
  const changes = reconcile(propertiesOf(file, type), {
    path: pathOf(type),
    known: [...fields.keys()],
    required: required.get(type) ?? new Set(),
    label: (field) => `${type}.${field}`,
    about: (field) => (fields.get(field) ?? '').replace(/^: /, ''),
    stub: (field) => stubs.ofField(type, field, fields.get(field) ?? '', file),
    renamed: (field, missing) => {
      const isSame = (one: string) =>
        fields.get(one) === old?.get(field) && previous(fields, one) === previous(old, field);
      return missing.find((one) => !old?.has(one) && isSame(one));
    },
    gone: () => GONE,
  });
  return [...changes, ...importMarker(file, pathOf(type))];
}

/** The field above one in its type: what has the same above it, arguments and type included, is probably the same. */
const previous = (fields: ReadonlyMap<string, string> | undefined, name: string): string | undefined => {
  const names = [...(fields?.keys() ?? [])];
  return names[names.indexOf(name) - 1];
};

/** The fields that answer NOT_IMPLEMENTED. */
export function pendingFields(project: Project, root: string, types: Types): Pending[] {
  return [...types].flatMap(([type, fields]) => {
    const file = project.getSourceFile(join(root, pathOf(type)));
    const stubs = [...fields.keys()].filter((field) => file && isStub(propertiesOf(file, type).node(field)));
    return stubs.map((field) => ({ file: pathOf(type), name: `${type}.${field}` }));
  });
}
