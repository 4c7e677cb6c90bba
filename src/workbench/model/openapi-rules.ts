import {
  isObject,
  type Keys,
  keysOf,
  type OpenApiDocument,
  type OperationObject,
  type Parameter,
  type Permission,
  rolesIn,
  type Schema,
  valueAt,
} from '@accord-api/platform/contract/document';
import { operationEntries, pathShape, splitPath, versionsOf } from '@accord-api/platform/contract/openapi';
import { parameterForm } from '@accord-api/platform/contract/parameter-form';
import { inlineSchemas } from '@accord-api/platform/contract/schemas';
import { codeFindings } from './codes.js';
import type { OpenApiSource } from './openapi-source.js';
import { REACHES } from './permissions.js';
import type { Finding } from './yaml-source.js';

/**
 * Words that cannot be the name of a function (ECMAScript 2023, modules in strict mode).
 * @see https://tc39.es/ecma262/#sec-keywords-and-reserved-words
 */
const RESERVED_WORDS = `
  arguments await break case catch class const continue debugger default delete do else enum eval export extends false
  finally for function if implements import in instanceof interface let new null package private protected public
  return static super switch this throw true try typeof var void while with yield`
  .trim()
  .split(/\s+/);

const IDENTIFIER = /^[a-z][A-Za-z0-9]*$/;

type Fault = Omit<Finding, 'rule'>;

/** Checks an operation. Paths of its faults begin at the operation. */
type Rule = (operation: OperationObject, path: string, document: OpenApiDocument) => Fault[];

/** An operationId is the name of a generated function. */
const operationId: Rule = ({ operationId: id }) => {
  if (typeof id !== 'string' || (IDENTIFIER.test(id) && !RESERVED_WORDS.includes(id))) return [];
  const message = `operationId "${id}" cannot be a function's name: use camelCase letters and digits.`;
  return [{ path: ['operationId'], message }];
};

/** The tag is the name of the file with the handler. */
const oneTag: Rule = ({ tags = [] }, _path, document) => {
  const [tag, ...others] = tags;
  if (tag === undefined || others.length > 0) {
    const message = `An operation has exactly one tag, the file that answers it; this one has ${tags.length}.`;
    return [{ path: tag === undefined ? [] : ['tags'], onKey: true, message }];
  }
  const declared = (document.tags ?? []).map(({ name }) => name);
  const isDeclared = declared.includes(tag);
  if (isDeclared && IDENTIFIER.test(tag)) return [];
  const message = isDeclared
    ? `Tag "${tag}" is not the name of a file: use letters and digits.`
    : `Tag "${tag}" is not declared. Declared under "tags": ${declared.join(', ') || 'none'}.`;
  return [{ path: ['tags', 0], message }];
};

function permissionFindings(permission: Partial<Permission>, path: Keys): Fault[] {
  if (typeof permission?.action !== 'string')
    return [{ path, onKey: true, message: 'A permission is `public` or names its `action`.' }];
  const roles = rolesIn(permission);
  const message = `Permission "${permission.action}" names no role, and no operation of this contract does.`;
  if (roles.length === 0) return [{ path, onKey: true, message }];
  return roles
    .filter((role) => !REACHES.includes(permission[role] ?? ''))
    .map((role) => ({
      path: [...path, role],
      message: `Permission "${permission.action}" must give ${role} one of ${REACHES.join(', ')}.`,
    }));
}

/** An operation without a permission would be open to everybody. */
const permission: Rule = ({ 'x-permission': main, 'x-permission-also': further = [] }) => {
  const message = 'An operation says who may call it: add x-permission.';
  if (main === undefined) return [{ path: [], onKey: true, message }];
  return [
    ...(main === 'public' ? [] : permissionFindings(main, ['x-permission'])),
    ...further.flatMap((permission, index) => permissionFindings(permission, ['x-permission-also', index])),
  ];
};

/** The types of replies distinguish them by their status. */
const exactStatuses: Rule = ({ responses }) =>
  Object.keys(responses)
    .filter((status) => !/^[1-5]\d\d$/.test(status))
    .map((status) => ({
      path: ['responses', status],
      onKey: true,
      message: `A response is declared for one status, not for "${status}".`,
    }));

export const isTime = (text: unknown): text is string => typeof text === 'string' && !Number.isNaN(Date.parse(text));

const deprecation: Rule = ({ deprecated, 'x-deprecation': stated }) => {
  const isComplete = isTime(stated?.since) && isTime(stated?.sunset) && typeof stated?.link === 'string';
  if (deprecated === true ? isComplete : stated === undefined) return [];
  const message =
    'A deprecated operation, and no other, has x-deprecation with the times `since` and `sunset` and a `link`.';
  return [{ path: [], onKey: true, message }];
};

/** The last version of an operation is its own or a later one, but not the newest. */
const lastVersion: Rule = ({ 'x-last-version': last }, path, document) => {
  if (last === undefined) return [];
  const own = splitPath(path)?.version;
  const versions = versionsOf(document);
  const possible = own === undefined ? [] : versions.slice(versions.indexOf(own), -1);
  if (possible.includes(String(last))) return [];
  const message = `x-last-version must be a version that is not the newest, from the version of the operation: ${possible.join(', ') || 'there is none here'}.`;
  return [{ path: ['x-last-version'], message }];
};

const RULES: Record<string, Rule> = {
  'operation-id-identifier': operationId,
  'operation-one-tag': oneTag,
  'operation-permission': permission,
  'response-exact-status': exactStatuses,
  'operation-deprecation': deprecation,
  'operation-last-version': lastVersion,
};

/** Returns the paths without a version that are also the address of a path with a version. */
function ambiguousPaths(document: OpenApiDocument): Finding[] {
  const paths = Object.keys(document.paths ?? {});
  const versioned = new Map(paths.map((path) => [pathShape(splitPath(path)?.rest ?? ''), path]));
  return paths.flatMap((path) => {
    const other = splitPath(path) === undefined ? versioned.get(pathShape(path)) : undefined;
    if (other === undefined) return [];
    const message = `Path "${path}" is also the address of "${other}" without its version.`;
    return [{ path: ['paths', path], onKey: true, rule: 'path-ambiguous', message }];
  });
}

const unroutable = (path: string): Finding[] =>
  [...path.matchAll(/\{([^{}]*)\}/g)]
    .filter(([, name = '']) => !/^\w+$/.test(name))
    .map(([, name = '']) => ({
      path: ['paths', path],
      onKey: true,
      rule: 'path-parameter-name',
      message: `Path parameter "${name}" cannot be routed: use letters, digits and underscores.`,
    }));

const REFERENCES = 'local-references';

/** Keywords whose schemas apply to the same value. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'] as const;

function inPlace(document: unknown, schema: Record<string, unknown>): unknown[] {
  const { $ref } = schema;
  const target = typeof $ref === 'string' && $ref.startsWith('#/') ? [valueAt(document, keysOf($ref))] : [];
  return [...target, ...IN_PLACE.flatMap((keyword) => schema[keyword] ?? [])];
}

function appliesToItself(document: unknown, schema: Record<string, unknown>): boolean {
  const seen = new Set<unknown>();
  const pending = inPlace(document, schema);
  for (const part of pending) {
    if (!isObject(part) || seen.has(part)) continue;
    if (part === schema) return true;
    seen.add(part);
    pending.push(...inPlace(document, part));
  }
  return false;
}

/** Returns the references and schemas that lead only to themselves. Redocly's linter throws on them. */
export function circularReferences(document: unknown): Finding[] {
  const within = (value: unknown, path: readonly string[]): Finding[] => {
    if (!isObject(value)) return [];
    const members = Object.entries(value).flatMap(([key, member]) => within(member, [...path, key]));
    if (!appliesToItself(document, value)) return members;
    const { $ref } = value;
    const message =
      typeof $ref === 'string'
        ? `The reference ${$ref} leads to nothing but itself.`
        : 'This schema consists of itself. Remove the circle of references.';
    return [{ path, onKey: true, rule: REFERENCES, message }, ...members];
  };
  return within(document, []);
}

function pathToReference(value: unknown, reference: string): string[] | undefined {
  if (!isObject(value)) return undefined;
  if (value['$ref'] === reference) return ['$ref'];
  for (const [key, member] of Object.entries(value)) {
    const path = pathToReference(member, reference);
    if (path !== undefined) return [key, ...path];
  }
  return undefined;
}

function unfollowed(source: OpenApiSource, follow: () => unknown): Finding[] {
  try {
    follow();
    return [];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, reference = '', pointer] = /: ((?:#\/)?(\S+))$/.exec(message) ?? [];
    const path = reference.startsWith('#/') ? pointer?.split('/') : pathToReference(source.written, reference);
    return [{ path: path ?? [], onKey: true, rule: REFERENCES, message }];
  }
}

/** Returns the first reference that leads out of the document, or nowhere. */
export const unresolved = (source: OpenApiSource): Finding[] => unfollowed(source, () => source.document);

/** Returns the parameters of a path and of its operation, with the places that declare them. */
export const parametersAt = (document: OpenApiDocument, at: Keys): { path: Keys; parameter: Parameter }[] =>
  [at.slice(0, -1), at].flatMap((owner) => {
    const list = [...owner, 'parameters'];
    return ((valueAt(document, list.map(String)) ?? []) as { $ref?: string }[]).map(({ $ref }, index) => {
      const path = $ref === undefined ? [...list, index] : keysOf($ref);
      return { path, parameter: valueAt(document, path.map(String)) as Parameter };
    });
  });

/** Returns the parameters that cannot be parsed with their schema and style, each once. */
function unparsableParameters(document: OpenApiDocument): Finding[] {
  const all = operationEntries(document).flatMap(({ at }) => parametersAt(document, at));
  return [...new Map(all.map((found) => [found.path.join('\0'), found])).values()].flatMap(({ path, parameter }) => {
    const form = parameterForm(parameter, document as object as Schema);
    if (form.kind !== 'unsupported') return [];
    const message = `The ${parameter.in} parameter ${parameter.name} ${form.reason}.`;
    return [{ path, rule: 'parameter-form', message }];
  });
}

/** Returns what the generator and the router reject in a document of valid structure. */
export function findings(source: OpenApiSource): Finding[] {
  const document = source.written;
  const ofOperations = operationEntries(document).flatMap(({ operation, path, at }) =>
    Object.entries(RULES).flatMap(([rule, check]) =>
      check(operation, path, document).map((fault) => ({ ...fault, rule, path: [...at, ...fault.path] })),
    ),
  );
  return [
    ...Object.keys(document.paths ?? {}).flatMap(unroutable),
    ...ofOperations,
    ...ambiguousPaths(document),
    ...unparsableParameters(document),
    ...codeFindings(document),
    ...unfollowed(source, () => inlineSchemas(source.document)),
  ];
}
