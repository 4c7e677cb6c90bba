/** Lists the elements of the REST contract that tests can cover, and those that a request and its response have covered. @module */

import { pointerTo } from '@accord-api/platform/internals/core/calls/errors';
import {
  keysOf,
  type OpenApiDocument,
  type Parameter,
  type Schema,
  type SecurityRequirement,
  valueAt,
} from '@accord-api/platform/internals/core/contract/document';
import {
  bodyFormFor,
  type OperationEntry,
  operationEntries,
  type RestOperation,
} from '@accord-api/platform/internals/core/contract/openapi';
import { nameOf } from '@accord-api/platform/internals/core/rest/parameters';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Element, type ElementKind, UNMATCHED } from './elements.js';
import { type Exchange, issuesIn, parametersIn, parsed, securityName, usesScheme } from './exchange.js';
import {
  type Bound,
  boundsIn,
  childrenOf,
  type Found,
  follow,
  namesBound,
  type Path,
  partsOf,
  SIDES,
  type Side,
  schemaAt,
  sideName,
  sideOf,
} from './schema-parts.js';

export interface RestElement extends Element {
  at: Path;
  /** True if the exchange covers the element. */
  isSeen: boolean;
  /** The bound of a request. */
  part?: RequestPart;
}

export interface RequestPart {
  /** The body or a parameter: `body`, `query limit`. */
  whole: string;
  /** `/data[]/role`; empty for the whole. */
  pointer: string;
  /** Undefined for a parameter. */
  media: string | undefined;
  schema: Path;
  /** One side of a bound. */
  bound?: Bound & { side: Side };
}

/** A schema of a request, and its values in an exchange. */
interface SchemaUse {
  owner: string;
  whole: string;
  media?: string;
  schema: Path;
  found: readonly Found[] | undefined;
  /** Selects the bounds that a request can break. */
  hasBound?: (bound: Bound) => boolean;
  verdict?: Verdict | undefined;
}

/** Returns true if the answer shows one side of a bound of the value at a pointer. */
type Verdict = (side: Side, pointer: string, bound: Bound) => boolean;

const RESPONSES = '#/components/responses/';

export const partKey = (whole: string, pointer: string): string => `${whole} ${pointer.trimStart()}`.trim();

/**
 * Selects the bounds that a request can break. Text cookies are credentials, and a too large id in a path is 404
 * (docs/decisions.md, "Reading and writing over REST").
 */
const isBreakable =
  (location: Parameter['in'], { type }: Schema) =>
  ({ keyword, limit }: Bound): boolean => {
    if (location === 'cookie') return type !== 'string';
    return location !== 'path' || type !== 'integer' || (keyword === 'minimum' && limit === 1);
  };

const foundIn = (value: unknown): Found[] => (value === undefined ? [] : [{ value, pointer: '' }]);

/**
 * Lists the elements of the REST contract and finds those that an exchange covers: statuses, ways to log in, and bounds of
 * requests. A rejected request covers only its status and the bounds that it exceeds.
 * @param document `openapi.yaml`, complete, with its references
 */
export function restContract(document: OpenApiDocument) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document as object, 'openapi', undefined, false);
  const isValid = (at: Path, value: unknown): boolean =>
    ajv.getSchema(`openapi#${encodeURI(at.map(pointerTo).join(''))}`)?.(value) === true;
  const boundsByPath = new Map<string, Bound[]>();
  const boundsAt = (at: Path): Bound[] => {
    const bounds = boundsByPath.get(at.join('/')) ?? boundsIn(schemaAt(document, at));
    boundsByPath.set(at.join('/'), bounds);
    return bounds;
  };

  type More = Pick<RestElement, 'within' | 'component' | 'part'>;
  const element = (kind: ElementKind, owner: string, name: string, at: Path, isSeen: boolean, more?: More) =>
    ({ kind, owner, name, key: `${owner} ${name}`, file: 'openapi.yaml', at, isSeen, ...more }) as const;

  function* bounds(use: SchemaUse): Generator<RestElement> {
    const { owner, whole, media, verdict, hasBound = () => true } = use;
    const values = use.found && { found: use.found, isValid };
    for (const { pointer, within, at, found } of partsOf(document, use.schema, values)) {
      for (const bound of boundsAt(at).filter(hasBound)) {
        const declared = valueAt(document, [...at, bound.keyword]) === undefined ? follow(document, at).path : at;
        for (const side of SIDES) {
          const isShown = ({ value, pointer }: Found) =>
            sideOf(bound, value) === side && verdict?.(side, pointer, bound);
          const [name, path] = [sideName(partKey(whole, pointer), bound, side), [...declared, bound.keyword]];
          const part = { whole, pointer, media, schema: at, bound: { ...bound, side } };
          const more = { within: `${owner} ${partKey(whole, within)}`.trimEnd(), part };
          yield element('bound', owner, name, path, found.some(isShown), more);
        }
      }
    }
  }

  function* responses(owner: string, all: Path, exchange?: Exchange): Generator<RestElement> {
    for (const [status, at] of childrenOf(document, all)) {
      const { $ref = '' } = valueAt(document, at) as Schema;
      const component = $ref.startsWith(RESPONSES) ? keysOf($ref).at(-1) : undefined;
      yield element('status', owner, status, at, status === String(exchange?.status), { component });
    }
  }

  function* parameters(all: Path, { operation }: OperationEntry, sent?: SentRequest): Generator<RestElement> {
    const { operationId: owner } = operation;
    const read = sent && parametersIn(sent.operation, sent.exchange);
    for (const [, child] of childrenOf(document, all)) {
      const { value, path } = follow(document, child);
      const parameter = value as Parameter;
      const { name, in: place, content } = parameter;
      const whole = `${place} ${name}`;
      const schema = [...path, ...(content === undefined ? ['schema'] : ['content', 'application/json', 'schema'])];
      const found = read && foundIn(read[place][nameOf(parameter)]);
      yield* bounds({
        ...{ owner, whole, schema, found },
        hasBound: isBreakable(place, schemaAt(document, schema)),
        verdict: sent && verdictOf(sent, parameter, found?.[0]?.value),
      });
    }
  }

  const bodiesOf = (at: Path) => childrenOf(document, [...follow(document, at).path, 'content']);

  function* body({ operation: { operationId: owner } }: OperationEntry, at: Path, sent?: SentRequest) {
    const { headers, body: text = '' } = sent?.exchange.request ?? {};
    const form = sent && bodyFormFor(sent.operation)(headers?.get('content-type') ?? '');
    const value = form?.kind === 'json' ? parsed(text) : sent?.exchange.request.body;
    for (const [media, mediaAt] of bodiesOf(at))
      yield* bounds({
        ...{ owner, whole: 'body', media, schema: [...mediaAt, 'schema'] },
        found: sent && (form?.type === media ? foundIn(value) : []),
        verdict: sent && verdictOf(sent),
      });
  }

  /** Lists the enumeration values of bodies, and their members, which have no `value`, for requests with each of them. */
  function* bodyParts(): Generator<RequestPart & { owner: string; value?: unknown }> {
    for (const [owner, { path, method }] of all)
      for (const [media, at] of bodiesOf(['paths', path, method, 'requestBody']))
        for (const { pointer, at: schema } of partsOf(document, [...at, 'schema'], undefined)) {
          const part = { owner, whole: 'body', pointer, media, schema };
          if (schema.at(-2) === 'properties') yield part;
          const { const: only, enum: listed = [] } = schemaAt(document, schema);
          for (const value of only === undefined ? listed : [only]) yield { ...part, value };
        }
  }

  function* security({ path, method, operation }: OperationEntry, sent?: SentRequest): Generator<RestElement> {
    const at = [...(operation.security ? ['paths', path, method] : []), 'security'];
    const declared: readonly SecurityRequirement[] = operation.security ?? document.security ?? [];
    if (declared.length < 2 && Object.keys(declared[0] ?? {}).length === 0) return;
    const schemes = document.components?.securitySchemes ?? {};
    const isUsed = (name: string) =>
      sent !== undefined && schemes[name] !== undefined && usesScheme(schemes[name], sent.exchange.request);
    for (const [index, requirement] of declared.entries()) {
      const names = Object.keys(requirement);
      const isSeen = names.length > 0 ? names.every(isUsed) : !declared.flatMap(Object.keys).some(isUsed);
      const name = securityName(requirement);
      yield element('security', operation.operationId, name, [...at, String(index)], isAccepted(sent) && isSeen);
    }
  }

  function* operationElements(entry: OperationEntry, sent?: SentRequest): Generator<RestElement> {
    const at = ['paths', entry.path, entry.method];
    yield* responses(entry.operation.operationId, [...at, 'responses'], sent?.exchange);
    yield* parameters([...at, 'parameters'], entry, sent);
    yield* parameters(['paths', entry.path, 'parameters'], entry, sent);
    yield* body(entry, [...at, 'requestBody'], sent);
    yield* security(entry, sent);
  }
  const all = new Map(operationEntries(document).map((entry) => [entry.operation.operationId, entry]));

  return {
    bodyParts,
    /** Lists all elements; an element that is declared in several places is listed for each. */
    *elements(): Generator<RestElement> {
      for (const entry of all.values()) yield* operationElements(entry);
      yield* responses(UNMATCHED, [UNMATCHED]);
    },
    /** Returns the keys of the elements that an exchange covers. @param operation of its method and path, if there is one */
    observe(operation: RestOperation | undefined, exchange: Exchange): Set<string> {
      if (exchange.method === 'HEAD' && operation?.method !== 'HEAD') return new Set();
      const entry = operation && all.get(operation.operationId);
      const found = entry
        ? operationElements(entry, { operation, exchange })
        : responses(UNMATCHED, [UNMATCHED], exchange);
      return new Set([...found].filter(({ isSeen }) => isSeen).map(({ key }) => key));
    },
  };
}

/** Lists each element once, at the first place that declares it. */
export function restElements(document: OpenApiDocument): RestElement[] {
  const elements = new Map<string, RestElement>();
  for (const part of restContract(document).elements()) if (!elements.has(part.key)) elements.set(part.key, part);
  return [...elements.values()];
}

interface SentRequest {
  operation: RestOperation;
  exchange: Exchange;
}

/** Returns true if the service accepted the content of the request. It decides about the caller and the target first. */
const isAccepted = (sent: SentRequest | undefined): boolean => sent === undefined || sent.exchange.status < 400;

/** The statuses after the check of an id in a path, which is the first one (docs/decisions.md, "Failures"). */
const AFTER_ID = [403, 404, 409, 410, 412, 422];

/** @param parameter whose value it is; undefined for a body */
function verdictOf({ exchange }: SentRequest, parameter?: Parameter, value?: unknown): Verdict {
  const { status } = exchange;
  const isRejection = status === 400 || status === 422;
  const issues = isRejection ? issuesIn(exchange) : [];
  const isId = parameter?.in === 'path' && typeof value === 'number';
  const isWithin = (status < 400 || (isId && AFTER_ID.includes(status))) && (!isRejection || issues.length > 0);
  return (side, pointer, bound) => {
    if (side === 'at') return isWithin;
    const place = parameter && pointer !== '' ? `${pointer} ` : '';
    return issues.some(({ parameter: name, pointer: at, detail }) => {
      const isAt = parameter ? name === nameOf(parameter) : at === pointer;
      const isNamed = detail.startsWith(place) && namesBound(bound, detail.slice(place.length));
      // An id below the minimum is rejected for its form.
      return isAt && (isNamed || (isId && status === 400));
    });
  };
}
