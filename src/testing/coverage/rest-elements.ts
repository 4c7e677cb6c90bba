import type {
  OpenApiDocument,
  Parameter,
  Schema,
  SecurityRequirement,
} from '@accord-api/platform/internals/contract/document';
import { placedOperations } from '@accord-api/platform/internals/contract/openapi';
import { keysOf, valueAt } from '@accord-api/platform/internals/contract/references';
import { laidOpen } from '@accord-api/platform/internals/contract/schemas';
import { type Bound, boundsIn, SIDES, sideName } from './bounds.js';
import { type Element, type Kind, UNMATCHED } from './elements.js';

type Path = readonly string[];

/** The bounds of a part of a request. */
export interface RequestBounds {
  /** The operationId. */
  owner: string;
  /** What the part is in: `body`, `query limit`. */
  whole: string;
  /** Which part it is; empty for the whole. */
  pointer: string;
  /** What the names of the bounds begin with. */
  key: string;
  /** The key of what they hang on. */
  within: string;
  /** The media type of the body that it is in; undefined for a parameter. */
  media: string | undefined;
  /** Of the schema. */
  at: Path;
  bounds: readonly Bound[];
}

/** What the observer of a test asks of the REST contract. */
interface RestElements {
  elements: Element[];
  /** What the keys of a body's members begin with, by `getUser 200` for an answer and `createUser body` for a request. */
  bodies: Map<string, string>;
  /** Where one of several schemas holds: the key of the part, the part of each alternative, and where that stands. */
  alternatives: Map<string, { part: string; at: Path }[]>;
  /** Those of an answer, by `getUser 200`, and what their keys begin with. */
  headers: Map<string, { header: string; whole: string }[]>;
  /** By operation. */
  parameters: Map<string, Pick<Parameter, 'name' | 'in'>[]>;
  /** By what their names begin with; several where a body has several media types. */
  bounds: Map<string, RequestBounds[]>;
}

const RESPONSES = '#/components/responses/';

/** What is at a path once references are followed, and where that stands. */
function follow(document: unknown, path: Path): { value: unknown; path: Path } {
  const value = valueAt(document, path);
  const { $ref } = (value ?? {}) as Schema;
  return typeof $ref === 'string' ? follow(document, keysOf($ref)) : { value, path };
}

/** The schema at a path, with what it refers to. */
export const schemaAt = (document: unknown, path: Path): Schema =>
  laidOpen((valueAt(document, path) ?? {}) as Schema, document as Schema);

const childrenOf = (document: unknown, path: Path): [name: string, at: Path][] => {
  const { value, path: at } = follow(document, path);
  return Object.keys(value ?? {}).map((name) => [name, [...at, name]]);
};

interface Part {
  pointer: string;
  /** The pointer of the member that it is in; empty for the whole. */
  within: string;
  /** Of a schema that is one of several, that and no part of the body. */
  what: 'member' | 'value' | 'alternative' | 'bounded';
  at: Path;
}

/** The alternatives of a schema, `or null` apart, each with a name of its own; the only one has none. */
function alternativesOf(document: unknown, all: Path): { name: string; at: Path }[] {
  const found = Object.keys(valueAt(document, all) ?? {}).map((index) => {
    const at = [...all, index];
    const { $ref, title, type } = (valueAt(document, at) ?? {}) as Schema;
    return { at, index, type, name: $ref === undefined ? String(title ?? type ?? '') : String(keysOf($ref).at(-1)) };
  });
  const real = found.filter(({ type }) => type !== 'null');
  if (real.length < 2) return real.map(({ at }) => ({ name: '', at }));
  return real.map(({ name, at, index }) => {
    const isOwn = name !== '' && real.filter((one) => one.name === name).length === 1;
    return { name: `<${isOwn ? name : Number(index) + 1}>`, at };
  });
}

/** Places of one body in which a schema is told: where each is made of several of the next one, its places have no end. */
const MOST_PLACES = 64;

/** Where in a body a schema stands, and the schemas that it stands in: one that holds itself is told once. */
interface Standing {
  pointer?: string;
  within?: string;
  around?: readonly string[];
  /** In how many places of the body each schema has been told. */
  told?: Map<string, number>;
  /** Whether it is laid beside another schema of the same part, which says the bounds of both. */
  isBeside?: boolean;
}

/**
 * The members of a schema at any depth, and the values of its enumerations. The pointer of a member is `/data[]/role`,
 * where `[]` stands for the items of an array, `{}` for the values of a map, and `<Page>` for one of several schemas.
 */
function* partsOf(
  document: unknown,
  path: Path,
  { pointer = '', within = '', around = [], told = new Map(), isBeside = false }: Standing = {},
): Generator<Part> {
  const own = path.join('/');
  const places = (told.get(own) ?? 0) + 1;
  if (around.includes(own) || places > MOST_PLACES) return;
  told.set(own, places);
  const inner = { pointer, within, around: [...around, own], told };
  const schema = (valueAt(document, path) ?? {}) as Schema;
  if (!isBeside) yield { pointer, within, what: 'bounded', at: path };
  const beside = { ...inner, isBeside: true };
  if (schema.$ref !== undefined) yield* partsOf(document, keysOf(schema.$ref), beside);
  for (const index of Object.keys(schema.allOf ?? [])) yield* partsOf(document, [...path, 'allOf', index], beside);
  for (const keyword of ['anyOf', 'oneOf'] as const)
    for (const { name, at } of alternativesOf(document, [...path, keyword])) {
      const part = `${pointer}${name}`;
      if (name !== '') yield { pointer: part, within: pointer, what: 'alternative', at };
      yield* partsOf(document, at, { ...inner, pointer: part });
    }
  for (const name of Object.keys(schema.properties ?? {})) {
    const [member, at] = [`${pointer}/${name}`, [...path, 'properties', name]];
    yield { pointer: member, within, what: 'member', at };
    yield* partsOf(document, at, { ...inner, pointer: member, within: member });
  }
  if (schema.items) yield* partsOf(document, [...path, 'items'], { ...inner, pointer: `${pointer}[]` });
  if (schema.additionalProperties)
    yield* partsOf(document, [...path, 'additionalProperties'], { ...inner, pointer: `${pointer}{}` });
  const constant = schema.const === undefined ? [] : [{ value: schema.const, at: [...path, 'const'] }];
  const values = (schema.enum ?? []).map((one, index) => ({ value: one, at: [...path, 'enum', String(index)] }));
  for (const one of [...constant, ...values])
    yield { pointer: `${pointer} = ${one.value}`, within, what: 'value', at: one.at };
}

/** The name or key of a part of what has this one: `getUser 200` and `/role` are `getUser 200 /role`. */
export const partKey = (whole: string, pointer: string): string => `${whole} ${pointer.trimStart()}`.trim();

/** The owner and the name of what is filed under a whole: `getUser 200` or `NotFound`. */
function filed(whole: string, part: string): [owner: string, name: string] {
  const [owner = '', ...prefix] = whole.split(' ');
  return [owner, [...prefix, part].join(' ')];
}

/**
 * Which bounds of a parameter a request can break. A cookie that is one text is decided by what it stands for, and an id in a path
 * that is too large names nothing (docs/decisions.md, "Reading and writing over REST").
 */
const isLookedAt =
  (place: Parameter['in'], { type }: Schema) =>
  ({ keyword, limit }: Bound): boolean => {
    if (place === 'cookie') return type !== 'string';
    return place !== 'path' || type !== 'integer' || (keyword === 'minimum' && limit === 1);
  };

/** How a way to prove who one is is named: `by basic`, `by nobody`. */
export const securityName = (schemes: SecurityRequirement): string =>
  `by ${Object.keys(schemes).sort().join(' and ') || 'nobody'}`;

/** Where the members of a response count: those of a failure, which one pipeline writes, once for their schema. */
function filing(document: unknown, media: Path, owner: string, status: string): [owner: string, prefix: string] {
  const { $ref } = (valueAt(document, [...media, 'schema']) ?? {}) as Schema;
  return status >= '400' && $ref !== undefined ? [keysOf($ref).at(-1) as string, ''] : [owner, status];
}

/**
 * All that the REST contract promises and takes. An element that is declared in several places, as by a path and by its
 * operation, stands at the first.
 * @param document `openapi.yaml`, complete, with its references; sound, as the check has it
 */
export function restElements(document: OpenApiDocument): RestElements {
  const elements = new Map<string, Element>();
  const bodies: RestElements['bodies'] = new Map();
  const alternatives: RestElements['alternatives'] = new Map();
  const headers: RestElements['headers'] = new Map();
  const parameters: RestElements['parameters'] = new Map();
  const bounds: RestElements['bounds'] = new Map();

  const add = (
    kind: Kind,
    owner: string,
    name: string,
    at: Path,
    links: Pick<Element, 'within' | 'component'> = {},
  ) => {
    const key = `${owner} ${name}`;
    if (!elements.has(key)) elements.set(key, { kind, owner, name, key, file: 'openapi.yaml', at, ...links });
  };
  const addParts = (kinds: [member: Kind, value: Kind], owner: string, prefix: string, schema: Path) => {
    for (const { pointer, within, what, at } of partsOf(document, schema)) {
      const above = `${owner} ${partKey(prefix, within)}`.trimEnd();
      const one = { part: pointer, at };
      if (what === 'alternative') alternatives.set(above, [...(alternatives.get(above) ?? []), one]);
      else if (what !== 'bounded')
        add(what === 'value' ? kinds[1] : kinds[0], owner, partKey(prefix, pointer), at, { within: above });
    }
  };

  const addBounds = (
    owner: string,
    whole: string,
    schema: Path,
    { media, isAsked = () => true }: { media?: string; isAsked?: (bound: Bound) => boolean },
  ) => {
    for (const { pointer, within, what, at } of partsOf(document, schema)) {
      if (what !== 'bounded') continue;
      const key = `${owner} ${partKey(whole, pointer)}`;
      const above = `${owner} ${partKey(whole, within)}`;
      const own = boundsIn(schemaAt(document, at)).filter(isAsked);
      const part = { owner, whole, pointer, key, within: above, media, at, bounds: own };
      if (own.length > 0) bounds.set(key, [...(bounds.get(key) ?? []), part]);
      for (const bound of own) {
        const { path } = follow(document, at);
        const stated = valueAt(document, [...at, bound.keyword]) === undefined ? path : at;
        for (const side of SIDES) {
          const name = sideName(partKey(whole, pointer), bound, side);
          add('bound', owner, name, [...stated, bound.keyword], { within: above });
        }
      }
    }
  };

  const addResponses = (owner: string, responses: Path) => {
    for (const [status, at] of childrenOf(document, responses)) {
      const { $ref = '' } = valueAt(document, at) as Schema;
      const component = $ref.startsWith(RESPONSES) ? keysOf($ref).at(-1) : undefined;
      add('status', owner, status, at, { component });
      // Those of a failure, which one pipeline writes, count once for the component.
      const whole = status >= '400' && component !== undefined ? component : `${owner} ${status}`;
      for (const [header, headerAt] of childrenOf(document, [...follow(document, at).path, 'headers'])) {
        add('header', ...filed(whole, `header ${header}`), headerAt, { within: `${owner} ${status}` });
        headers.set(`${owner} ${status}`, [...(headers.get(`${owner} ${status}`) ?? []), { header, whole }]);
      }
      for (const [media, mediaAt] of childrenOf(document, [...follow(document, at).path, 'content'])) {
        add('media', owner, `${status} ${media}`, mediaAt, { component, within: `${owner} ${status}` });
        const [bodyOwner, prefix] = filing(document, mediaAt, owner, status);
        bodies.set(`${owner} ${status}`, `${bodyOwner} ${prefix}`.trimEnd());
        addParts(['member', 'value'], bodyOwner, prefix, [...mediaAt, 'schema']);
      }
    }
  };
  const addParameters = (owner: string, at: Path) => {
    for (const [, each] of childrenOf(document, at)) {
      const { value, path } = follow(document, each);
      const { name, in: place, content } = value as Parameter;
      add('parameter', owner, `${place} ${name}`, path);
      parameters.set(owner, [...(parameters.get(owner) ?? []), { name, in: place }]);
      const schema = [...path, ...(content === undefined ? ['schema'] : ['content', 'application/json', 'schema'])];
      addParts(['parameter', 'parameter'], owner, `${place} ${name}`, schema);
      addBounds(owner, `${place} ${name}`, schema, { isAsked: isLookedAt(place, schemaAt(document, schema)) });
    }
  };
  const addSecurity = (owner: string, at: Path, stated: readonly SecurityRequirement[]) => {
    if (stated.length < 2 && Object.keys(stated[0] ?? {}).length === 0) return;
    for (const [index, one] of stated.entries()) add('security', owner, securityName(one), [...at, String(index)]);
  };
  const addRequest = (owner: string, at: Path) => {
    for (const [media, mediaAt] of childrenOf(document, [...follow(document, at).path, 'content'])) {
      add('requestMedia', owner, `body ${media}`, mediaAt);
      bodies.set(`${owner} body`, `${owner} body`);
      addParts(['requestMember', 'requestValue'], owner, 'body', [...mediaAt, 'schema']);
      addBounds(owner, 'body', [...mediaAt, 'schema'], { media });
    }
  };

  for (const { path, method, operation } of placedOperations(document)) {
    const { operationId: owner } = operation;
    const at = ['paths', path, method];
    addResponses(owner, [...at, 'responses']);
    addParameters(owner, [...at, 'parameters']);
    addParameters(owner, ['paths', path, 'parameters']);
    addRequest(owner, [...at, 'requestBody']);
    const { security } = operation;
    addSecurity(owner, [...(security ? at : []), 'security'], security ?? document.security ?? []);
  }
  addResponses(UNMATCHED, [UNMATCHED]);
  return { elements: [...elements.values()], bodies, alternatives, headers, parameters, bounds };
}
