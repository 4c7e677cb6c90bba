import { basename, dirname, join } from 'node:path';
import { Unable } from '@accord-api/platform/cli/output';
import { pathShape, type RestOperation } from '@accord-api/platform/contract/openapi';
import { platformOperations } from '@accord-api/platform/contract/part-operations';
import type { Project, SourceFile } from 'ts-morph';
import { handlersFunctionOf } from '../model/names.js';
import type { OpenApiSource } from '../model/openapi-source.js';
import { permissionsOf } from '../model/permissions.js';
import { ROOTS } from '../model/sdl-source.js';
import {
  importNamed,
  insertProperty,
  insertStatement,
  isStub,
  isUsed,
  literalOf,
  MARKER,
  ownNames,
  propertyNames,
  propertyOf,
  removeImport,
} from './source-edits.js';
import { fieldComment, operationComment, type RequiredFields, type Types } from './stubs.js';

/** A change that `accord scaffold` made, or with `--check` would make. */
export interface ScaffoldChange {
  /** Stubs are added, files are registered, and an unused import of the marker is dropped. */
  kind: 'added' | 'registered' | 'dropped';
  file: string;
  name: string;
  detail: string;
}

/** An operation or a field that answers 501 or NOT_IMPLEMENTED. */
export interface Pending {
  file: string;
  name: string;
  /** `GET /api/v1/users`; undefined for a field. */
  request?: string;
}

/** Code of an operation, field, tag or type that the contract does not have any more. */
export interface Left {
  file: string;
  name: string;
  reason: string;
}

export type Request = Pick<RestOperation, 'method' | 'path'>;

const OPERATIONS = '../../../generated/operations.js';
const GRAPHQL = '../../../generated/graphql.js';

interface Member {
  isRequired: boolean;
  /** The request, or the type of the field. */
  about: string;
  comment?: string | undefined;
}

/** The handlers of a tag or the resolvers of a type: an object literal in a file of its own. */
export interface Group {
  kind: 'tag' | 'type';
  name: string;
  /** In the order of the contract; empty if the contract does not have the tag or type. */
  members: ReadonlyMap<string, Member>;
  reason: (member: string) => string;
}

/** Returns the groups of the contract, and the registered groups that it does not have. */
export type Groups = (registered: readonly string[]) => Group[];

const FOLDERS = { tag: 'src/application/rest', type: 'src/application/graphql' };
/** The constants that register the groups, each in a file with its name. */
const REGISTRIES = { tag: 'handlers', type: 'resolvers' };

const pathOf = ({ kind, name }: Group) => `${FOLDERS[kind]}/${name}.ts`;
const labelOf = ({ kind, name }: Group, member: string) => (kind === 'tag' ? member : `${name}.${member}`);

/** @param before the request of each operationId before the contract was edited; @param ofParts the operations that parts answer */
export const tagGroups =
  (
    { document, operations }: Pick<OpenApiSource, 'document' | 'operations'>,
    before: Readonly<Record<string, Request>>,
    ofParts: ReadonlySet<string> = platformOperations(document),
  ): Groups =>
  (registered) =>
    [...new Set([...registered, ...operations.map(({ tag }) => tag)])].map((tag) => ({
      kind: 'tag',
      name: tag,
      members: new Map(
        operations
          .filter((operation) => operation.tag === tag)
          .map((operation) => {
            const { operationId, method, path, permission } = operation;
            const comment = permission === 'public' ? undefined : operationComment(operation);
            return [operationId, { isRequired: !ofParts.has(operationId), about: `${method} ${path}`, comment }];
          }),
      ),
      reason(member) {
        const moved = operations.find(({ operationId }) => operationId === member);
        if (moved) return `openapi.yaml has it under the tag ${moved.tag}.`;
        const old = Object.hasOwn(before, member) ? before[member] : undefined;
        const renamed = operations.find(
          ({ method, path }) => method === old?.method && pathShape(path) === pathShape(old.path),
        );
        return `openapi.yaml no longer has it${renamed ? `, and has its request as ${renamed.operationId}` : ''}.`;
      },
    }));

export const typeGroups =
  (types: Types, required: RequiredFields): Groups =>
  (registered) =>
    [...new Set([...registered, ...types.keys()])].map((type) => ({
      kind: 'type',
      name: type,
      members: new Map(
        [...(types.get(type) ?? [])].map(([name, { about, field }]) => {
          const isRoute = field && ROOTS.includes(type) && permissionsOf(field).length > 0;
          const isRequired = required.get(type)?.has(name) ?? false;
          return [name, { isRequired, about, comment: isRoute ? fieldComment(type, field) : undefined }];
        }),
      ),
      reason: () => 'schema.graphql no longer has it.',
    }));

const operationsImport = (file: SourceFile) =>
  file
    .getImportDeclarations()
    .find((line) => line.getModuleSpecifierValue() === OPERATIONS && line.getNamespaceImport() !== undefined);

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
      ? `export const ${name} = ${imported}.${handlersFunctionOf(name)}({});`
      : `export const ${name}: ${imported} = {};`,
  );
}

const registryOf = (kind: Group['kind']) => ({
  constant: REGISTRIES[kind],
  path: `${FOLDERS[kind]}/${REGISTRIES[kind]}.ts`,
});

/**
 * Adds stubs, and registers their files. Edits the sources in memory only.
 * @throws Unable for a file without the expected declaration
 */
export function editGroups(project: Project, root: string, kind: Group['kind'], groups: Groups): ScaffoldChange[] {
  const { constant, path } = registryOf(kind);
  const registry = project.getSourceFile(join(root, path));
  if (!registry || !literalOf(registry, constant))
    throw new Unable(`${path} must export \`${constant}\`, an object literal that names the files beside it.`);
  const registered = propertyNames(registry, constant);
  return groups(registered).flatMap((group): ScaffoldChange[] => {
    const { name, members } = group;
    const isRegistered = registered.includes(name);
    if (![...members.values()].some(({ isRequired }) => isRequired)) return [];
    const place = join(root, pathOf(group));
    const file = project.getSourceFile(place) ?? newFile(project, place);
    if (kind === 'tag' && !literalOf(file, name)) refuseOtherContent(file, group, isRegistered);
    if (!literalOf(file, name)) declare(file, group);
    const changes = addStubs(file, group);
    if (isRegistered) return changes;
    importNamed(registry, `./${name}.js`, name);
    insertProperty(registry, constant, `${name},`, propertyNames(registry, constant).at(-1));
    return [...changes, { kind: 'registered', file: path, name, detail: pathOf(group) }];
  });
}

/** Returns the code that the contract does not have any more. Nobody but its developer deletes or moves it. */
export function leftIn(project: Project, root: string, kind: Group['kind'], groups: Groups): Left[] {
  const { constant, path } = registryOf(kind);
  return groups(propertyNames(project.getSourceFile(join(root, path)), constant)).flatMap((group) => {
    const { name, members, reason } = group;
    const file = project.getSourceFile(join(root, pathOf(group)));
    const gone = ownNames(file, name).filter((member) => !members.has(member));
    const own = gone.map((member) => ({ file: pathOf(group), name: labelOf(group, member), reason: reason(member) }));
    return members.size > 0 || !literalOf(file, name)
      ? own
      : [...own, { file: path, name, reason: `The contract has no such ${kind}.` }];
  });
}

/** @throws Unable if a file has the same name in another case */
function newFile(project: Project, path: string): SourceFile {
  const name = basename(path);
  const beside = project.getFileSystem().readDirSync(dirname(path));
  const alike = beside.map((entry) => basename(entry.name)).find((file) => file.toLowerCase() === name.toLowerCase());
  if (alike === undefined) return project.createSourceFile(path, '');
  throw new Unable(
    `The new file ${name} and ${alike} differ in case only, and some file systems ignore case. Choose another name.`,
  );
}

/** Refuses a file without handlers: they may be elsewhere, and would be written a second time. */
function refuseOtherContent(file: SourceFile, group: Group, isRegistered: boolean): void {
  const { name } = group;
  const path = pathOf(group);
  const expected = `\`export const ${name} = Contract.${handlersFunctionOf(name)}({ … })\``;
  if (isRegistered) throw new Unable(`${path} must contain ${expected}, with a handler for each operation.`);
  if (file.getStatements().length > 0)
    throw new Unable(
      `The tag ${name} needs the file ${path}, which has other content. Choose another name for the tag.`,
    );
}

function addStubs(file: SourceFile, group: Group): ScaffoldChange[] {
  const { kind, name: constant, members } = group;
  const changes: ScaffoldChange[] = [];
  const present = propertyNames(file, constant);
  let above: string | undefined;
  for (const [name, { isRequired, about, comment }] of members) {
    if (!present.includes(name) && isRequired) {
      const stub = `${name}: ${MARKER},${comment ? ` ${comment}` : ''}`;
      insertProperty(file, constant, stub, above, kind === 'tag' ? '\n' : '');
      changes.push({ kind: 'added', file: pathOf(group), name: labelOf(group, name), detail: about });
    }
    if (propertyOf(file, constant, name)) above = name;
  }
  if (isUsed(file, MARKER)) importNamed(file, '@accord-api/platform', MARKER);
  else if (removeImport(file, MARKER))
    changes.push({ kind: 'dropped', file: pathOf(group), name: MARKER, detail: 'an import without a use' });
  return changes;
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
