import { join } from 'node:path';
import type { Operation } from 'accord/contract/openapi';
import type { Project, SourceFile } from 'ts-morph';
import { typeNamesOf } from '../model/type-names.js';
import type { Before, Request } from './before.js';
import { type Change, type Pending, Refusal } from './change.js';
import { contractAlias, handlersIn, isStub, MARKER } from './members.js';
import { isParked } from './parked.js';
import { importMarker, ownFile } from './project-files.js';
import { reconcile } from './reconcile.js';
import { openRegistry } from './registry.js';

const OPERATIONS = '../../../generated/operations.js';
const REGISTRY = { path: 'src/application/rest/handlers.ts', constant: 'handlers', whole: true };

const pathOf = (tag: string) => `src/application/rest/${tag}.ts`;
const requestOf = ({ method, path }: Request) => `${method} ${path}`;
/** A request, whatever its path parameters are called. */
const shapeOf = (request: Request) => requestOf(request).replaceAll(/{\w+}/g, '{}');

/** What the REST contract asks for, and asked for before. */
export interface RestDemand {
  operations: readonly Operation[];
  before: Before;
}

/** Makes the modules of handlers those that the REST contract asks for, in memory. */
export function scaffoldRest(project: Project, root: string, demand: RestDemand): Change[] {
  const registry = openRegistry(project, root, REGISTRY);
  const registered = registry.names();
  const wanted = new Set(demand.operations.map(({ tag }) => tag));
  return [...new Set([...registered, ...wanted])].flatMap((tag) => {
    const file = ownFile(project, join(root, pathOf(tag)));
    const isNew = !registered.includes(tag);
    if (isNew) refuseOther(file, tag, demand);
    const changes = scaffoldTag(file, tag, demand);
    if (isNew) return [...changes, registry.add(tag, pathOf(tag))];
    return wanted.has(tag) ? changes : [...changes, registry.remove(tag, pathOf(tag))];
  });
}

/** A file that is there and has never had handlers is something else. */
function refuseOther(file: SourceFile, tag: string, { operations }: RestDemand): void {
  const isOperation = (name: string) => operations.some((one) => one.tag === tag && one.operationId === name);
  if (file.getStatements().length === 0 || isParked(file) || handlersIn(file).names().some(isOperation)) return;
  throw new Refusal(
    `The tag ${tag} would be answered by ${pathOf(tag)}, which is something else: choose another name for the tag.`,
  );
}

function scaffoldTag(file: SourceFile, tag: string, { operations, before }: RestDemand): Change[] {
  const own = operations.filter((one) => one.tag === tag);
  const known = own.map(({ operationId }) => operationId);
  const about = (name: string) =>
    own
      .filter(({ operationId }) => operationId === name)
      .map(requestOf)
      .join();
  const alias = contractAlias(file) ?? 'Contract';
  const handlers = handlersIn(file);
  const isTyped = (name: string) =>
    handlers
      .node(name)
      ?.getText()
      .includes(`: ${alias}.${typeNamesOf(name)[0]} `);
  const changes = reconcile(handlers, {
    path: pathOf(tag),
    known,
    required: new Set(known),
    label: (name) => name,
    about,
    stub: (name) => `export const ${name}: ${alias}.${typeNamesOf(name)[0]} = ${MARKER};`,
    wasContracts: (name) => before.requests(name).length > 0 || isTyped(name) === true,
    renamed: (name, missing) => {
      const shapes = before.requests(name).map(shapeOf);
      return missing.find((one) => own.some((each) => each.operationId === one && shapes.includes(shapeOf(each))));
    },
    gone: (name) => {
      const other = operations.find(({ operationId }) => operationId === name);
      if (other === undefined) return 'openapi.yaml no longer has it.';
      return `openapi.yaml has it under the tag ${other.tag} now: move the body to ${pathOf(other.tag)}.`;
    },
  });
  if (changes.some(({ kind }) => kind === 'added') && contractAlias(file) === undefined) {
    file.addImportDeclaration({ moduleSpecifier: OPERATIONS, namespaceImport: alias, isTypeOnly: true });
  }
  return [...changes, ...importMarker(file, pathOf(tag))];
}

/** The operations that answer 501. */
export function pendingOperations(project: Project, root: string, operations: readonly Operation[]): Pending[] {
  return operations.flatMap((operation) => {
    const { operationId: name, tag } = operation;
    const file = project.getSourceFile(join(root, pathOf(tag)));
    const stub = file && isStub(handlersIn(file).node(name));
    return stub ? [{ file: pathOf(tag), name, request: requestOf(operation) }] : [];
  });
}
