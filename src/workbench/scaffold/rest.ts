import { join } from 'node:path';
import type { Operation } from '@accord-api/platform/contract/openapi';
import type { Project, SourceFile } from 'ts-morph';
import { takerOf } from '../model/type-names.js';
import type { Before, Request } from './before.js';
import { type Change, type Pending, Refusal } from './change.js';
import { removeWithComments } from './extent.js';
import { closeHandlers, handlersIn, hasHandlers, openHandlers } from './handlers.js';
import { isStub } from './members.js';
import { moveMember } from './move.js';
import { isParked } from './parked.js';
import { importMarker, ownFile } from './project-files.js';
import { neighbour, reconcile } from './reconcile.js';
import { openRegistry } from './registry.js';
import type { Stubs } from './targets.js';

const REGISTRY = { path: 'src/application/rest/handlers.ts', constant: 'handlers' };

const pathOf = (tag: string) => `src/application/rest/${tag}.ts`;
const requestOf = ({ method, path }: Request) => `${method} ${path}`;
/** A request, whatever its path parameters are called. */
const shapeOf = (request: Request) => requestOf(request).replaceAll(/{\w+}/g, '{}');

/** What the REST contract asks for, and asked for before. */
export interface RestDemand {
  operations: readonly Operation[];
  before: Before;
  stubs: Stubs;
}

/** Makes the files of handlers those that the REST contract asks for, in memory. */
export function scaffoldRest(project: Project, root: string, demand: RestDemand): Change[] {
  const registry = openRegistry(project, root, REGISTRY);
  const registered = registry.names();
  const wanted = new Set(demand.operations.map(({ tag }) => tag));
  const tags = [...new Set([...registered, ...wanted])].map((tag) => {
    const file = ownFile(project, join(root, pathOf(tag)));
    if (registered.includes(tag)) refuseModule(file, tag);
    else refuseOther(file, tag);
    return { tag, file };
  });
  const moved = tags.flatMap(({ tag, file }) => {
    const others = tags.filter((one) => one.tag !== tag && registered.includes(one.tag));
    return wanted.has(tag) ? moveHere(file, tag, others, demand) : [];
  });
  const changed = tags.flatMap(({ tag, file }) => {
    if (wanted.has(tag)) openHandlers(file, tag);
    const changes = scaffoldTag(file, tag, demand);
    if (!registered.includes(tag)) return [...changes, registry.add(tag, pathOf(tag))];
    if (wanted.has(tag)) return changes;
    closeHandlers(file, tag);
    const isEmpty = file.getStatements().length === 0 && !isParked(file);
    return [...changes, registry.remove(tag, pathOf(tag), isEmpty ? 'is empty: delete it' : undefined)];
  });
  return [...moved, ...changed];
}

/** A file that is there and has never had handlers is something else. */
function refuseOther(file: SourceFile, tag: string): void {
  if (file.getStatements().length === 0 || isParked(file) || hasHandlers(file, tag)) return;
  throw new Refusal(
    `The tag ${tag} would be answered by ${pathOf(tag)}, which is something else: choose another name for the tag.`,
  );
}

/** Handlers that cannot be found would all be written a second time. */
function refuseModule(file: SourceFile, tag: string): void {
  if (hasHandlers(file, tag)) return;
  const expected = `\`export const ${tag} = Contract.${takerOf(tag)}({ … })\``;
  throw new Refusal(`${pathOf(tag)} should say ${expected}, with a handler for each operation.`);
}

/** The names that the handler of an operation may have had: its own, and those of the same request before. */
const isHandlerOf = (operation: Operation, name: string, { operations, before }: RestDemand): boolean =>
  name === operation.operationId ||
  (!operations.some(({ operationId }) => operationId === name) &&
    before.requests(name).map(shapeOf).includes(shapeOf(operation)));

/** Moves to the file of a tag those of its operations whose bodies stand in another tag's. */
function moveHere(
  file: SourceFile,
  tag: string,
  others: readonly { tag: string; file: SourceFile }[],
  demand: RestDemand,
): Change[] {
  const own = demand.operations.filter((one) => one.tag === tag);
  return own.flatMap((operation) => {
    const { operationId } = operation;
    const there = handlersIn(file, tag).node(operationId);
    if (there !== undefined && !isStub(there)) return [];
    for (const other of others) {
      const from = handlersIn(other.file, other.tag);
      const name = from
        .names()
        .find((one) => isHandlerOf(operation, one, demand) && from.node(one) && !isStub(from.node(one)));
      if (name === undefined) continue;
      if (there !== undefined) removeWithComments(there);
      openHandlers(file, tag);
      const to = handlersIn(file, tag);
      const known = own.map((one) => one.operationId);
      moveMember(from, to, name, neighbour(to, known, operationId));
      if (name !== operationId) to.rename(name, operationId);
      const was = name === operationId ? '' : `was ${name}; `;
      return [
        { kind: 'moved', file: pathOf(tag), name: operationId, detail: `${was}from ${pathOf(other.tag)}` } as const,
      ];
    }
    return [];
  });
}

function scaffoldTag(file: SourceFile, tag: string, { operations, before, stubs }: RestDemand): Change[] {
  const own = operations.filter((one) => one.tag === tag);
  const known = own.map(({ operationId }) => operationId);
  const about = (name: string) =>
    own
      .filter(({ operationId }) => operationId === name)
      .map(requestOf)
      .join();
  const changes = reconcile(handlersIn(file, tag), {
    path: pathOf(tag),
    known,
    required: new Set(known),
    label: (name) => name,
    about,
    stub: (name) => stubs.ofOperation(own.find(({ operationId }) => operationId === name) as Operation, file),
    renamed: (name, missing) => {
      const shapes = before.requests(name).map(shapeOf);
      return missing.find((one) => own.some((each) => each.operationId === one && shapes.includes(shapeOf(each))));
    },
    gone: (name) => {
      const other = operations.find(({ operationId }) => operationId === name);
      if (other === undefined) return 'openapi.yaml no longer has it.';
      return `openapi.yaml has it under the tag ${other.tag}, and ${pathOf(other.tag)} has another one.`;
    },
  });
  return [...changes, ...importMarker(file, pathOf(tag))];
}

/** The operations that answer 501. */
export function pendingOperations(project: Project, root: string, operations: readonly Operation[]): Pending[] {
  return operations.flatMap((operation) => {
    const { operationId: name, tag } = operation;
    const file = project.getSourceFile(join(root, pathOf(tag)));
    const stub = file && isStub(handlersIn(file, tag).node(name));
    return stub ? [{ file: pathOf(tag), name, request: requestOf(operation) }] : [];
  });
}
