import { basename, dirname, join } from 'node:path';
import { type Operation, shapeOf } from '@accord-api/platform/contract/openapi';
import { type Project, type SourceFile, SyntaxKind } from 'ts-morph';
import { takerOf } from '../model/names.js';
import { ROOTS } from '../model/sdl-source.js';
import { type Change, type Pending, Refusal } from './report.js';
import type { Required, Types } from './resolver-fields.js';
import {
  cut,
  importNamed,
  insertProperty,
  insertStatement,
  isParked,
  isStub,
  isUsed,
  literalOf,
  MARKER,
  park,
  propertyNames,
  propertyOf,
  removeUnusedImport,
  restore,
} from './source-edits.js';
import type { Stub, Stubs } from './targets.js';

export interface Request {
  method: string;
  path: string;
}

const OPERATIONS = '../../../generated/operations.js';
const GRAPHQL = '../../../generated/graphql.js';

/** A member that the contract has: an operation or a field. */
interface Member {
  isRequired: boolean;
  /** The request, or the type of the field. */
  about: string;
  stub: (file: SourceFile) => Stub;
}

/** The handlers of a tag or the resolvers of a type: an object literal in a file of its own. */
export interface Group {
  kind: 'tag' | 'type';
  /** The tag or type, which is the name of the constant. */
  name: string;
  /** In the order of the contract; empty for a tag or type that the contract does not have. */
  members: ReadonlyMap<string, Member>;
  /** Says in a sentence why a member is parked. */
  reason: (member: string) => string;
}

/** Returns the groups of a contract, and those that are registered and that it does not have. */
export type Groups = (registered: readonly string[]) => Group[];

const FOLDERS = { tag: 'src/application/rest', type: 'src/application/graphql' };
/** The constants that register the groups, each in a file of its name. */
const REGISTRIES = { tag: 'handlers', type: 'resolvers' };

const pathOf = ({ kind, name }: Group) => `${FOLDERS[kind]}/${name}.ts`;
/** Returns the name of a member in reports and in parked code. */
const labelOf = ({ kind, name }: Group, member: string) => (kind === 'tag' ? member : `${name}.${member}`);

/** Returns true for requests that differ in the names of their path parameters only. */
const isSameRequest = (one: Request, other: Request) =>
  one.method === other.method && shapeOf(one.path) === shapeOf(other.path);

/** @param before the request of each operationId before the contract was edited */
export const tagGroups =
  (operations: readonly Operation[], before: Readonly<Record<string, Request>>, stubs: Stubs): Groups =>
  (registered) =>
    [...new Set([...registered, ...operations.map(({ tag }) => tag)])].map((tag) => ({
      kind: 'tag',
      name: tag,
      members: new Map(
        operations
          .filter((one) => one.tag === tag)
          .map((operation) => [
            operation.operationId,
            {
              isRequired: true,
              about: `${operation.method} ${operation.path}`,
              stub: (file) => stubs.ofOperation(operation, file),
            },
          ]),
      ),
      reason(member) {
        const moved = operations.find(({ operationId }) => operationId === member);
        if (moved) return `openapi.yaml has it under the tag ${moved.tag}.`;
        const old = Object.hasOwn(before, member) ? before[member] : undefined;
        const renamed = old && operations.find((one) => isSameRequest(one, old));
        return `openapi.yaml no longer has it${renamed ? `, and has its request as ${renamed.operationId}` : ''}.`;
      },
    }));

export const typeGroups =
  (types: Types, required: Required, stubs: Stubs): Groups =>
  (registered) =>
    [...new Set([...registered, ...types.keys()])].map((type) => ({
      kind: 'type',
      name: type,
      members: new Map(
        [...(types.get(type) ?? [])].map(([name, { about, field }]) => [
          name,
          {
            isRequired: required.get(type)?.has(name) ?? false,
            about,
            stub: (file) => stubs.ofField(type, name, field, file),
          },
        ]),
      ),
      reason: () => 'schema.graphql no longer has it.',
    }));

const operationsImport = (file: SourceFile) =>
  file
    .getImportDeclarations()
    .find((one) => one.getModuleSpecifierValue() === OPERATIONS && one.getNamespaceImport() !== undefined);

/** Returns the import that the declaration of a group needs: a namespace, or an interface. */
const importOf = ({ kind, name }: Group, file: SourceFile): string =>
  kind === 'tag'
    ? (operationsImport(file)?.getNamespaceImport()?.getText() ?? 'Contract')
    : `${name}${ROOTS.includes(name) ? 'Routes' : 'Resolvers'}`;

/** Declares `export const users = Contract.usersHandlers({});` or `export const User: UserResolvers = {};`. */
function declare(file: SourceFile, group: Group): void {
  const { kind, name } = group;
  const imported = importOf(group, file);
  const found = operationsImport(file);
  if (kind === 'type') importNamed(file, GRAPHQL, imported, true);
  else if (!found) file.addImportDeclaration({ moduleSpecifier: OPERATIONS, namespaceImport: imported });
  else if (found.isTypeOnly()) found.setIsTypeOnly(false);
  insertStatement(
    file,
    kind === 'tag'
      ? `export const ${name} = ${imported}.${takerOf(name)}({});`
      : `export const ${name}: ${imported} = {};`,
  );
}

/**
 * Adds stubs, parks the members that the contract does not have, restores those that it has again, and registers the files. Edits the
 * sources in memory only.
 * @throws Refusal for a file that is not what it should be
 */
export function editGroups(project: Project, root: string, kind: Group['kind'], groups: Groups): Change[] {
  const constant = REGISTRIES[kind];
  const path = `${FOLDERS[kind]}/${constant}.ts`;
  const registry = project.getSourceFile(join(root, path));
  if (!registry || !literalOf(registry, constant))
    throw new Refusal(`${path} should export \`${constant}\`, an object literal that names the files beside it.`);
  const registered = propertyNames(registry, constant);
  return groups(registered).flatMap((group): Change[] => {
    const { name, members } = group;
    const isRegistered = registered.includes(name);
    const present = project.getSourceFile(join(root, pathOf(group)));
    const isWanted = [...members].some(
      ([member, { isRequired }]) => isRequired || isParked(present, labelOf(group, member)),
    );
    if (!isWanted && (!isRegistered || (kind === 'type' && !literalOf(present, name)))) return [];
    const file = present ?? newFile(project, join(root, pathOf(group)));
    if (kind === 'tag' && !literalOf(file, name)) refuseOther(file, group, isRegistered);
    if (isWanted && !literalOf(file, name)) declare(file, group);
    const changes = editGroup(file, group);
    if (members.size === 0) {
      close(file, group);
      const entry = propertyOf(registry, constant, name);
      if (entry) cut(entry);
      removeUnusedImport(registry, name);
      const left = file.getFullText().trim() === '' ? 'is empty: delete it' : 'stays, with what is parked in it';
      return [...changes, { kind: 'unregistered', file: path, name, detail: `${pathOf(group)} ${left}` }];
    }
    if (isRegistered) return changes;
    importNamed(registry, `./${name}.js`, name);
    insertProperty(registry, constant, `${name},`, propertyNames(registry, constant).at(-1));
    return [...changes, { kind: 'registered', file: path, name, detail: pathOf(group) }];
  });
}

/** @throws Refusal where not every file system tells the file from one beside it */
function newFile(project: Project, path: string): SourceFile {
  const name = basename(path);
  const beside = project.getFileSystem().readDirSync(dirname(path));
  const alike = beside.map((one) => basename(one.name)).find((one) => one.toLowerCase() === name.toLowerCase());
  if (alike === undefined) return project.createSourceFile(path, '');
  throw new Refusal(
    `${name} would stand beside ${alike}, and not every file system can tell them apart: choose another name.`,
  );
}

/** Handlers that cannot be found would all be written a second time, and a file without any may be something else. */
function refuseOther(file: SourceFile, group: Group, isRegistered: boolean): void {
  const { name } = group;
  const path = pathOf(group);
  const expected = `\`export const ${name} = Contract.${takerOf(name)}({ … })\``;
  if (isRegistered) throw new Refusal(`${path} should say ${expected}, with a handler for each operation.`);
  if (file.getStatements().length > 0 && !isParked(file))
    throw new Refusal(
      `The tag ${name} would be answered by ${path}, which is something else: choose another name for the tag.`,
    );
}

function editGroup(file: SourceFile, group: Group): Change[] {
  const { kind, name: constant, members, reason } = group;
  const changes: Change[] = [];
  const report = (kind: Change['kind'], name: string, detail: string) =>
    changes.push({ kind, file: pathOf(group), name, detail });
  for (const name of propertyNames(file, constant).filter((one) => !members.has(one))) {
    const node = propertyOf(file, constant, name);
    if (node === undefined) continue;
    const isUnwritten = isStub(node);
    const names = new Set(node.getDescendantsOfKind(SyntaxKind.Identifier).map((one) => one.getText()));
    const text = cut(node);
    if (!isUnwritten) {
      park(file, labelOf(group, name), reason(name), text);
      report('parked', labelOf(group, name), reason(name));
      continue;
    }
    for (const one of names) if (one !== MARKER) removeUnusedImport(file, one);
    report('dropped', labelOf(group, name), 'a stub that nobody wrote, and that the contract no longer has');
  }
  const present = propertyNames(file, constant);
  let above: string | undefined;
  for (const [name, { isRequired, about, stub }] of members) {
    const label = labelOf(group, name);
    if (!present.includes(name) && (isRequired || isParked(file, label))) {
      const restored = restore(file, label);
      const made = restored === undefined ? stub(file) : { text: restored, changes: [] };
      insertProperty(file, constant, made.text, above, kind === 'tag' ? '\n' : '');
      report(restored === undefined ? 'added' : 'restored', label, about);
      changes.push(...made.changes);
    }
    if (propertyOf(file, constant, name)) above = name;
  }
  if (isUsed(file, MARKER)) importNamed(file, '@accord-api/platform', MARKER);
  else if (removeUnusedImport(file, MARKER)) report('dropped', MARKER, 'an import that nothing uses any more');
  return changes;
}

/** Removes the constant where nothing is left in it, with the import that only it used. */
function close(file: SourceFile, group: Group): void {
  const statement = file.getVariableStatement(group.name);
  if (!statement || literalOf(file, group.name)?.getProperties().length !== 0) return;
  const imported = importOf(group, file);
  cut(statement);
  removeUnusedImport(file, imported);
}

/** Returns the members that answer 501 or NOT_IMPLEMENTED. */
export const pendingIn = (project: Project, root: string, groups: Groups): Pending[] =>
  groups([]).flatMap((group) => {
    const file = project.getSourceFile(join(root, pathOf(group)));
    const stubs = [...group.members].filter(([name]) => isStub(propertyOf(file, group.name, name)));
    return stubs.map(([name, { about }]) => ({
      file: pathOf(group),
      name: labelOf(group, name),
      ...(group.kind === 'tag' && { request: about }),
    }));
  });
