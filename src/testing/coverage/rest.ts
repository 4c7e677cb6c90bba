/** Lists the elements of the REST contract that tests can cover, and those that a request and its response have covered. @module */

import {
  keysOf,
  type OpenApiDocument,
  type Parameter,
  type Schema,
  type SecurityRequirement,
  valueAt,
} from '@accord-api/platform/internals/contract/document';
import {
  bodyFormFor,
  type Operation,
  type OperationEntry,
  operationEntries,
} from '@accord-api/platform/internals/contract/openapi';
import { nameOf } from '@accord-api/platform/internals/rest/parameters';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Bound, boundsIn, namesBound, SIDES, type Side, schemaAt, sideName, sideOf } from './bounds.js';
import { type Element, type ElementKind, UNMATCHED } from './elements.js';
import { type Exchange, issuesIn, mediaOf, parametersIn, parsed, securityName, usesScheme } from './exchange.js';
import { childrenOf, type Found, follow, type Path, partsOf } from './schema-parts.js';

export interface RestElement extends Element {
  at: Path;
  /** True if the exchange covers the element. */
  isSeen: boolean;
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
  bound?: Bound;
  side?: Side;
}

/** A schema of a request or a response, and its values in an exchange. */
interface SchemaUse {
  owner: string;
  whole: string;
  media?: string;
  schema: Path;
  found: readonly Found[] | undefined;
  kinds: [member: ElementKind, value: ElementKind];
  /** The service rejected the request, so its members do not count. */
  isRejected?: boolean;
  /** Selects the bounds that a request can break. A response has none. */
  hasBound?: (bound: Bound) => boolean;
  verdict?: Verdict | undefined;
}

interface Verdict {
  isAccepted: boolean;
  rejects: (pointer: string, bound: Bound) => boolean;
}

const RESPONSES = '#/components/responses/';

export const partKey = (whole: string, pointer: string): string => `${whole} ${pointer.trimStart()}`.trim();

/** Returns the owner and the name of a part of a response: `getUser 200`, or a component such as `NotFound`. */
function ownerAndName(whole: string, part: string): [owner: string, name: string] {
  const [owner = '', ...prefix] = whole.split(' ');
  return [owner, [...prefix, part].join(' ')];
}

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

/** Returns true if the service accepted the content of the request. It decides about the caller and the target first. */
const isAccepted = (status: number): boolean => status < 400;

/** Returns true if the service accepted the form of an id in a path, which it checks first (docs/decisions.md, "Failures"). */
const isIdAccepted = (status: number): boolean => isAccepted(status) || [403, 404, 409, 410, 412, 422].includes(status);

const foundIn = (value: unknown): Found[] => (value === undefined ? [] : [{ value, pointer: '' }]);

/**
 * Lists the elements of the REST contract and finds those that an exchange covers. A rejected request covers only
 * its response and the bounds that it exceeds.
 * @param document `openapi.yaml`, complete, with its references
 */
export function restContract(document: OpenApiDocument) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const validators = new Map<string, ValidateFunction>();
  const isValid = (at: Path, value: unknown): boolean => {
    if (validators.size === 0) ajv.addSchema(document as object, 'openapi', undefined, false);
    const pointer = at.map((key) => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');
    const validate = validators.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` });
    validators.set(pointer, validate);
    return validate(value);
  };
  const boundsByPath = new Map<string, Bound[]>();
  const boundsAt = (at: Path): Bound[] => {
    const bounds = boundsByPath.get(at.join('/')) ?? boundsIn(schemaAt(document, at));
    boundsByPath.set(at.join('/'), bounds);
    return bounds;
  };

  type More = Pick<RestElement, 'within' | 'component' | 'part'>;
  const element = (
    kind: ElementKind,
    [owner, name]: [owner: string, name: string],
    at: Path,
    isSeen: boolean,
    more: More = {},
  ): RestElement => ({ kind, owner, name, key: `${owner} ${name}`, file: 'openapi.yaml', at, isSeen, ...more });

  function* schemaElements(use: SchemaUse): Generator<RestElement> {
    const { owner, whole, media, verdict } = use;
    const values = use.found && { found: use.found, isValid };
    for (const { kind, pointer, within, at, found } of partsOf(document, use.schema, values)) {
      const part = { whole, pointer, media, schema: at };
      const more = { within: `${owner} ${partKey(whole, within)}`.trimEnd(), part };
      if (kind !== 'schema') {
        const isSeen = use.isRejected !== true && found.some(({ value }) => !Array.isArray(value) || value.length > 0);
        yield element(use.kinds[kind === 'value' ? 1 : 0], [owner, partKey(whole, pointer)], at, isSeen, more);
        continue;
      }
      for (const bound of boundsAt(at).filter(use.hasBound ?? (() => false))) {
        const declared = valueAt(document, [...at, bound.keyword]) === undefined ? follow(document, at).path : at;
        for (const side of SIDES) {
          const isSeen = found.some(
            ({ value, pointer: place }) =>
              sideOf(bound, value) === side && (side === 'at' ? verdict?.isAccepted : verdict?.rejects(place, bound)),
          );
          const name = sideName(partKey(whole, pointer), bound, side);
          yield element('bound', [owner, name], [...declared, bound.keyword], isSeen, {
            ...more,
            part: { ...part, bound, side },
          });
        }
      }
    }
  }

  function* responses(owner: string, all: Path, exchange?: Exchange): Generator<RestElement> {
    for (const [status, at] of childrenOf(document, all)) {
      if (exchange && status !== String(exchange.status)) continue;
      const { $ref = '' } = valueAt(document, at) as Schema;
      const component = $ref.startsWith(RESPONSES) ? keysOf($ref).at(-1) : undefined;
      const { path } = follow(document, at);
      const within = `${owner} ${status}`;
      yield element('status', [owner, status], at, exchange !== undefined, { component });
      // The pipeline writes all failures, so their headers and members count once per component and schema.
      const whole = status >= '400' && component !== undefined ? component : within;
      for (const [header, headerAt] of childrenOf(document, [...path, 'headers'])) {
        const isSent = exchange?.headers.has(header) === true;
        yield element('header', ownerAndName(whole, `header ${header}`), headerAt, isSent, { within });
      }
      for (const [media, mediaAt] of childrenOf(document, [...path, 'content'])) {
        const isSent = exchange !== undefined && media === mediaOf(exchange.headers);
        yield element('media', [owner, `${status} ${media}`], mediaAt, isSent, { component, within });
        const schema = [...mediaAt, 'schema'];
        const { $ref: named } = (valueAt(document, schema) ?? {}) as Schema;
        const isShared = status >= '400' && named !== undefined;
        // A range of a JSON document is not JSON.
        const isRead = isSent && media.endsWith('json') && status !== '206';
        yield* schemaElements({
          owner: isShared ? (keysOf(named).at(-1) as string) : owner,
          whole: isShared ? '' : status,
          schema,
          found: exchange && (isRead ? foundIn(parsed(exchange.text)) : []),
          kinds: ['member', 'value'],
        });
      }
    }
  }

  function* parameters(all: Path, { operation }: OperationEntry, sent?: SentRequest): Generator<RestElement> {
    const { operationId: owner } = operation;
    const read = sent && parametersIn(sent.operation, sent.exchange);
    for (const [, each] of childrenOf(document, all)) {
      const { value, path } = follow(document, each);
      const parameter = value as Parameter;
      const { name, in: place, content } = parameter;
      const whole = `${place} ${name}`;
      const schema = [...path, ...(content === undefined ? ['schema'] : ['content', 'application/json', 'schema'])];
      const found = read && foundIn(read[place][nameOf(parameter)]);
      const isRequestAccepted = sent === undefined || isAccepted(sent.exchange.status);
      yield element('parameter', [owner, whole], path, isRequestAccepted && found?.length === 1);
      yield* schemaElements({
        ...{ owner, whole, schema, found, kinds: ['parameter', 'parameter'], isRejected: !isRequestAccepted },
        hasBound: isBreakable(place, schemaAt(document, schema)),
        verdict: sent && verdictOf(sent, parameter, found?.[0]?.value),
      });
    }
  }

  function* body({ operation: { operationId: owner } }: OperationEntry, at: Path, sent?: SentRequest) {
    const { headers, body: text = '' } = sent?.exchange.request ?? {};
    const form = sent && bodyFormFor(sent.operation)(headers?.get('content-type') ?? '');
    const value = form?.kind === 'json' ? parsed(text) : sent?.exchange.request.body;
    const isRequestAccepted = sent === undefined || isAccepted(sent.exchange.status);
    for (const [media, mediaAt] of childrenOf(document, [...follow(document, at).path, 'content'])) {
      yield element('requestMedia', [owner, `body ${media}`], mediaAt, isRequestAccepted && media === mediaOf(headers));
      yield* schemaElements({
        ...{ owner, whole: 'body', media, schema: [...mediaAt, 'schema'] },
        found: sent && (form?.type === media ? foundIn(value) : []),
        kinds: ['requestMember', 'requestValue'],
        isRejected: !isRequestAccepted,
        hasBound: () => true,
        verdict: sent && verdictOf(sent),
      });
    }
  }

  function* security({ path, method, operation }: OperationEntry, sent?: SentRequest): Generator<RestElement> {
    const at = [...(operation.security ? ['paths', path, method] : []), 'security'];
    const declared: readonly SecurityRequirement[] = operation.security ?? document.security ?? [];
    if (declared.length < 2 && Object.keys(declared[0] ?? {}).length === 0) return;
    const schemes = document.components?.securitySchemes ?? {};
    const isUsed = (name: string) =>
      sent !== undefined && schemes[name] !== undefined && usesScheme(schemes[name], sent.exchange.request);
    const isRequestAccepted = sent !== undefined && isAccepted(sent.exchange.status);
    for (const [index, requirement] of declared.entries()) {
      const names = Object.keys(requirement);
      const isSeen = names.length > 0 ? names.every(isUsed) : !declared.flatMap(Object.keys).some(isUsed);
      const name = securityName(requirement);
      yield element('security', [operation.operationId, name], [...at, String(index)], isRequestAccepted && isSeen);
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
    /** Lists all elements; an element that is declared in several places is listed for each. */
    *elements(): Generator<RestElement> {
      for (const entry of all.values()) yield* operationElements(entry);
      yield* responses(UNMATCHED, [UNMATCHED]);
    },
    /** Returns the keys of the elements that an exchange covers. @param operation of its method and path, if there is one */
    observe(operation: Operation | undefined, exchange: Exchange): Set<string> {
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
  for (const each of restContract(document).elements()) if (!elements.has(each.key)) elements.set(each.key, each);
  return [...elements.values()];
}

interface SentRequest {
  operation: Operation;
  exchange: Exchange;
}

/** @param parameter whose value it is; undefined for a body */
function verdictOf({ exchange }: SentRequest, parameter?: Parameter, value?: unknown): Verdict {
  const { status } = exchange;
  const isRejection = status === 400 || status === 422;
  const issues = isRejection ? issuesIn(exchange) : [];
  const isId = parameter?.in === 'path' && typeof value === 'number';
  return {
    isAccepted: (isId ? isIdAccepted : isAccepted)(status) && (!isRejection || issues.length > 0),
    rejects: (pointer, bound) =>
      issues.some(({ detail, ...issue }) => {
        if (!parameter) return issue.pointer === pointer && namesBound(bound, detail);
        const place = pointer === '' ? '' : `${pointer} `;
        // An id below the minimum is rejected for its form.
        const isNamed =
          (isId && status === 400) || (detail.startsWith(place) && namesBound(bound, detail.slice(place.length)));
        return issue.parameter === nameOf(parameter) && isNamed;
      }),
  };
}
