import {
  type OpenApiDocument,
  type OperationObject,
  type Parameter,
  type Permission,
  rolesIn,
  type Schema,
} from '@accord-api/platform/contract/document';
import { inlineSchemas } from '@accord-api/platform/contract/inline';
import { forwardFaults, placedOperations, placeOf, shapeOf, versionsOf } from '@accord-api/platform/contract/openapi';
import { parameterForm } from '@accord-api/platform/contract/parameter-form';
import { isObject, keysOf, valueAt } from '@accord-api/platform/contract/references';
import { RULE as CODES_RULE, codeFindings } from './codes.js';
import type { OpenApiSource } from './openapi-source.js';
import { REACHES } from './permissions.js';
import type { Finding } from './yaml-source.js';

/**
 * The words that are no function name in ECMAScript 2023, in modules and strict mode.
 *
 * @see https://tc39.es/ecma262/#sec-keywords-and-reserved-words
 */
const RESERVED_WORDS = `
  arguments await break case catch class const continue debugger default delete do else enum eval export extends false
  finally for function if implements import in instanceof interface let new null package private protected public
  return static super switch this throw true try typeof var void while with yield`
  .trim()
  .split(/\s+/);

const IDENTIFIER = /^[a-z][A-Za-z0-9]*$/;

type Rule = (operation: OperationObject, at: Finding['path'], document: OpenApiDocument) => Finding[];

/** An operationId becomes an exported function, so it must be a name that one can have. */
const operationId: Rule = ({ operationId: id }, at) => {
  if (typeof id !== 'string' || (IDENTIFIER.test(id) && !RESERVED_WORDS.includes(id))) return [];
  const message = `operationId "${id}" cannot be a function's name: use camelCase letters and digits.`;
  return [{ path: [...at, 'operationId'], rule: 'operation-id-identifier', message }];
};

/** A tag is the file in src/rest that answers. */
const oneTag: Rule = ({ tags = [] }, at, document) => {
  const rule = 'operation-one-tag';
  const [tag, ...others] = tags;
  if (tag === undefined || others.length > 0) {
    const message = `An operation has exactly one tag, the file that answers it; this one has ${tags.length}.`;
    return [{ path: tag === undefined ? at : [...at, 'tags'], onKey: true, rule, message }];
  }
  const declared = (document.tags ?? []).map(({ name }) => name);
  if (declared.includes(tag) && IDENTIFIER.test(tag)) return [];
  const message = `Tag "${tag}" is not declared. Declared under "tags": ${declared.join(', ') || 'none'}.`;
  return [
    { path: [...at, 'tags', 0], rule, message: declared.includes(tag) ? `Tag "${tag}" is no file name.` : message },
  ];
};

function permissionFindings(permission: Partial<Permission>, at: Finding['path']): Finding[] {
  const rule = 'operation-permission';
  if (typeof permission?.action !== 'string') {
    return [{ path: at, onKey: true, rule, message: 'A permission is `public` or names its `action`.' }];
  }
  const isReach = (value: unknown) => REACHES.some((reach) => reach === value);
  return rolesIn(permission)
    .filter((role) => !isReach(permission[role]))
    .map((role) => ({
      path: [...at, role],
      rule,
      message: `Permission "${permission.action}" must give ${role} one of ${REACHES.join(', ')}.`,
    }));
}

/** Who may call it is part of the contract; silence would be an open door. */
const permission: Rule = (operation, at) => {
  const { 'x-permission': main, 'x-permission-also': further = [] } = operation;
  if (main === undefined) {
    const message = 'An operation says who may call it: add x-permission.';
    return [{ path: at, onKey: true, rule: 'operation-permission', message }];
  }
  return [
    ...(main === 'public' ? [] : permissionFindings(main, [...at, 'x-permission'])),
    ...further.flatMap((one, index) => permissionFindings(one, [...at, 'x-permission-also', index])),
  ];
};

/** Replies are told apart by their status, so `default` and `4XX` have no type. */
const exactStatuses: Rule = ({ responses }, at) =>
  Object.keys(responses)
    .filter((status) => !/^[1-5]\d\d$/.test(status))
    .map((status) => ({
      path: [...at, 'responses', status],
      onKey: true,
      rule: 'response-exact-status',
      message: `A response is declared for one status, not for "${status}".`,
    }));

/** Who is told that an operation goes is told since when, until when, and what to use. */
const deprecation: Rule = ({ deprecated, 'x-deprecation': stated }, at) => {
  const isTime = (text: unknown) => typeof text === 'string' && !Number.isNaN(Date.parse(text));
  const complete = isTime(stated?.since) && isTime(stated?.sunset) && typeof stated?.link === 'string';
  if (deprecated === true ? complete : stated === undefined) return [];
  const message =
    'A deprecated operation, and no other, has x-deprecation with the times `since` and `sunset` and a `link`.';
  return [{ path: at, onKey: true, rule: 'operation-deprecation', message }];
};

/** What newer versions do without has a last version: its own or a later one, and not the newest, which would say nothing. */
const lastVersion: Rule = ({ 'x-last-version': last }, at, document) => {
  if (last === undefined) return [];
  const own = placeOf(String(at[1]))?.version;
  const versions = versionsOf(document);
  const possible = own === undefined ? [] : versions.slice(versions.indexOf(own), -1);
  if (possible.includes(String(last))) return [];
  const message = `x-last-version is the last version that has the operation, while there is a newer one: ${possible.join(', ') || 'there is none here'}.`;
  return [{ path: [...at, 'x-last-version'], rule: 'operation-last-version', message }];
};

/** What another service carries out. */
const forward: Rule = (operation, at) =>
  forwardFaults(String(at[1]), operation).map(({ place, message }) => ({
    path: [...at, ...place],
    onKey: true,
    rule: 'operation-forward',
    message,
  }));

const RULES: Rule[] = [operationId, oneTag, permission, exactStatuses, deprecation, lastVersion, forward];

/** A path without a version must not be the short spelling of one that has one. */
function ambiguous(document: OpenApiDocument): Finding[] {
  const paths = Object.keys(document.paths ?? {});
  const spelled = new Map(paths.map((path) => [shapeOf(placeOf(path)?.rest ?? ''), path]));
  return paths.flatMap((path) => {
    const other = placeOf(path) === undefined ? spelled.get(shapeOf(path)) : undefined;
    if (other === undefined) return [];
    const message = `Path "${path}" is how "${other}" is asked for without its version.`;
    return [{ path: ['paths', path], onKey: true, rule: 'path-ambiguous', message }];
  });
}

/** A path parameter becomes part of a route, where Fastify knows no hyphen. */
const routable = (path: string): Finding[] =>
  [...path.matchAll(/\{([^{}]*)\}/g)]
    .filter(([, name = '']) => !/^\w+$/.test(name))
    .map(([, name = '']) => ({
      path: ['paths', path],
      onKey: true,
      rule: 'path-parameter-name',
      message: `Path parameter "${name}" cannot be routed: use letters, digits and underscores.`,
    }));

/** Keywords by which a schema is made of others that hold for the same value. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'] as const;

/** What holds for the same value as this: what a reference names, and the parts of a schema. */
function inPlace(document: unknown, value: Record<string, unknown>): unknown[] {
  const { $ref } = value;
  const named = typeof $ref === 'string' && $ref.startsWith('#/') ? [valueAt(document, keysOf($ref))] : [];
  return [...named, ...IN_PLACE.flatMap((keyword) => value[keyword] ?? [])];
}

/** Whether something is made of itself, so that it names nothing: whoever follows it does not come to an end. */
function isIdle(document: unknown, value: Record<string, unknown>): boolean {
  const seen = new Set<unknown>();
  const left = inPlace(document, value);
  for (const one of left) {
    if (!isObject(one) || seen.has(one)) continue;
    if (one === value) return true;
    seen.add(one);
    left.push(...inPlace(document, one));
  }
  return false;
}

/** References that name nothing, which no linter survives. */
export function idleReferences(document: unknown): Finding[] {
  const within = (value: unknown, path: readonly string[]): Finding[] => {
    if (!isObject(value)) return [];
    const members = Object.entries(value).flatMap(([key, member]) => within(member, [...path, key]));
    if (!isIdle(document, value)) return members;
    const { $ref } = value;
    const message =
      typeof $ref === 'string'
        ? `The reference ${$ref} leads to nothing but itself.`
        : 'This schema is made of itself, and has no end.';
    return [{ path, onKey: true, rule: 'local-references', message }, ...members];
  };
  return within(document, []);
}

/** The keys that lead to the first reference to something. */
function pathToReference(value: unknown, reference: string): string[] | undefined {
  if (!isObject(value)) return undefined;
  if (value['$ref'] === reference) return ['$ref'];
  for (const [key, member] of Object.entries(value)) {
    const path = pathToReference(member, reference);
    if (path !== undefined) return [key, ...path];
  }
  return undefined;
}

/** Where references are followed: what is wrong with the first that cannot be. */
function unfollowed(source: OpenApiSource, follow: () => unknown): Finding[] {
  try {
    follow();
    return [];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, reference = '', pointer] = /: ((?:#\/)?(\S+))$/.exec(message) ?? [];
    const path = reference.startsWith('#/') ? pointer?.split('/') : pathToReference(source.written, reference);
    return [{ path: path ?? [], onKey: true, rule: 'local-references', message }];
  }
}

/** References lead into this document, since it is served as one file; and not back to a schema that is about the same value. */
const unfollowable = (source: OpenApiSource) => unfollowed(source, () => inlineSchemas(source.document));

/** A reference that keeps a document from being read, wherever it is served: one that leads out of it, or nowhere. */
export const unresolved = (source: OpenApiSource): Finding[] => unfollowed(source, () => source.document);

/** The rules of `findings`. */
export const FINDINGS = [
  'operation-id-identifier',
  'operation-one-tag',
  'operation-permission',
  'response-exact-status',
  'operation-deprecation',
  'operation-last-version',
  'operation-forward',
  'path-ambiguous',
  'path-parameter-name',
  'local-references',
  CODES_RULE,
] as const;

/** What the generator and the router need and no general linter asks for. Takes a document of sound structure. */
export function findings(source: OpenApiSource): Finding[] {
  const document = source.written;
  const ofPaths = Object.keys(document.paths ?? {}).flatMap(routable);
  const ofOperations = placedOperations(document).flatMap(({ operation, at }) =>
    RULES.flatMap((rule) => rule(operation, at, document)),
  );
  const ofDocument = [...ambiguous(document), ...unreadParameters(document), ...codeFindings(document)];
  return [...ofPaths, ...ofOperations, ...ofDocument, ...unfollowable(source)];
}

type Place = Finding['path'];

/** Where the parameters of a list stand that is at a place, or may be: each once, however many refer to it. */
const listedAt = (document: OpenApiDocument, place: Place): Place[] =>
  ((valueAt(document, place.map(String)) ?? []) as { $ref?: string }[]).map(({ $ref }, index) =>
    $ref === undefined ? [...place, index] : keysOf($ref),
  );

/** The parameters that have no reading, by schema and style: they would reach a handler as something else than was declared. */
function unreadParameters(document: OpenApiDocument): Finding[] {
  const places = placedOperations(document).flatMap(({ at }) =>
    [at.slice(0, -1), at].flatMap((owner) => listedAt(document, [...owner, 'parameters'])),
  );
  return [...new Map(places.map((place) => [place.join('\0'), place])).values()].flatMap((path) => {
    const parameter = valueAt(document, path.map(String)) as Parameter;
    const form = parameterForm(parameter, document as object as Schema);
    if (form.kind !== 'unread') return [];
    return [{ path, rule: 'parameter-form', message: `The ${parameter.in} parameter ${parameter.name} ${form.why}.` }];
  });
}
