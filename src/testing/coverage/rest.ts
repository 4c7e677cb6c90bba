import type {
  OpenApiDocument,
  Parameter,
  Schema,
  SecurityRequirement,
} from '@accord-api/platform/internals/contract/document';
import type { Operation } from '@accord-api/platform/internals/contract/openapi';
import { type PlacedOperation, placedOperations } from '@accord-api/platform/internals/contract/openapi';
import { keysOf, valueAt } from '@accord-api/platform/internals/contract/references';
import { nameOf } from '@accord-api/platform/internals/rest/parameters';
import { bodyFormFor } from '@accord-api/platform/internals/rest/request-body';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Bound, boundsIn, refusalOf, SIDES, type Side, schemaAt, sideName, sideOf } from './bounds.js';
import { type Element, type ElementKind, UNMATCHED } from './elements.js';
import { type Exchange, issuesIn, mediaOf, parametersIn, parsed, securityName, usesScheme } from './exchange.js';
import { childrenOf, type Found, follow, type Path, partsOf } from './schema-parts.js';

/** An element of the REST contract, and whether an exchange shows it. */
export interface RestElement extends Element {
  at: Path;
  isSeen: boolean;
  /** Where a request has it. */
  part?: RequestPart;
}

export interface RequestPart {
  /** `body`, `query limit`. */
  whole: string;
  /** `/data[]/role`; empty for the whole. */
  pointer: string;
  /** The media type of the body; undefined for a parameter. */
  media: string | undefined;
  schema: Path;
  bound?: Bound;
  side?: Side;
}

/** Where a schema is used, and what stands there in an exchange. */
interface Use {
  owner: string;
  whole: string;
  media?: string;
  schema: Path;
  found?: readonly Found[] | undefined;
}

/** How an answer decided about the bounds of a value. */
interface Verdict {
  isAccepted: boolean;
  isRefused: (pointer: string, refusal: string | undefined) => boolean;
}

const RESPONSES = '#/components/responses/';

/** Names a part of a whole: `getUser 200` and `/role` are `getUser 200 /role`. */
const partKey = (whole: string, pointer: string): string => `${whole} ${pointer.trimStart()}`.trim();

/** The owner and the name of what is filed under a whole: `getUser 200` or `NotFound`. */
function filed(whole: string, part: string): [owner: string, name: string] {
  const [owner = '', ...prefix] = whole.split(' ');
  return [owner, [...prefix, part].join(' ')];
}

/** Where the members of a response count: those of a failure, which one pipeline writes, once for their schema. */
function filing(document: unknown, media: Path, owner: string, status: string): [owner: string, prefix: string] {
  const { $ref } = (valueAt(document, [...media, 'schema']) ?? {}) as Schema;
  return status >= '400' && $ref !== undefined ? [keysOf($ref).at(-1) as string, ''] : [owner, status];
}

/**
 * Which bounds of a parameter a request can break. A cookie that is one text is decided by what it stands for, and an id in a path
 * that is too large names nothing (docs/decisions.md, "Reading and writing over REST").
 */
const isChecked =
  (place: Parameter['in'], { type }: Schema) =>
  ({ keyword, limit }: Bound): boolean => {
    if (place === 'cookie') return type !== 'string';
    return place !== 'path' || type !== 'integer' || (keyword === 'minimum' && limit === 1);
  };

/** Whether an answer shows that the content of a request was accepted. The caller and the target are decided before content. */
const isAccepted = (status: number): boolean => status < 400;

/** The same of an id in a path, whose form is decided before all that (docs/decisions.md, "Failures"). */
const isIdAccepted = (status: number): boolean => isAccepted(status) || [403, 404, 409, 410, 412, 422].includes(status);

const one = (value: unknown): Found[] => (value === undefined ? [] : [{ value, pointer: '' }]);

/**
 * Lists what the REST contract promises and takes: of all operations; or, with an exchange, of its operation, and marks what the
 * exchange shows. An answer to HEAD shows nothing. Of a request that was refused (from 400 on) only the answer counts, because nobody
 * knows how it was read; and the bounds that it broke, where the answer names the place.
 * @param document `openapi.yaml`, complete, with its references
 */
export function restContract(document: OpenApiDocument) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const validators = new Map<string, ValidateFunction>();
  const holds = (at: Path, value: unknown): boolean => {
    if (validators.size === 0) ajv.addSchema(document as object, 'openapi', undefined, false);
    const pointer = at.map((key) => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');
    const validate = validators.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` });
    validators.set(pointer, validate);
    return validate(value);
  };
  const known = new Map<string, Bound[]>();
  const boundsAt = (at: Path): Bound[] => {
    const bounds = known.get(at.join('/')) ?? boundsIn(schemaAt(document, at));
    known.set(at.join('/'), bounds);
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

  function* members(kinds: [member: ElementKind, value: ElementKind], use: Use): Generator<RestElement> {
    const { owner, whole, media, found } = use;
    for (const { what, pointer, within, at, ...part } of partsOf(document, use.schema, found && { found, holds })) {
      if (what === 'whole') continue;
      const isSeen = part.found.some(({ value }) => !Array.isArray(value) || value.length > 0);
      yield element(what === 'value' ? kinds[1] : kinds[0], [owner, partKey(whole, pointer)], at, isSeen, {
        within: `${owner} ${partKey(whole, within)}`.trimEnd(),
        part: { whole, pointer, media, schema: at },
      });
    }
  }

  /** Lists both sides of the bounds in a schema. @param isChecked whether a request can break a bound */
  function* sides(use: Use, verdict?: Verdict, isChecked = (_: Bound): boolean => true): Generator<RestElement> {
    const { owner, whole, media, found } = use;
    const apart: (readonly Side[])[] = verdict?.isAccepted ? [['at'], ['beyond']] : [['beyond']];
    for (const some of verdict ? apart : [SIDES]) {
      // A value that breaks a bound may be meant for any of the alternatives.
      const given = found && { found, holds: some[0] === 'at' ? holds : () => true };
      for (const { what, pointer, within, at, ...part } of partsOf(document, use.schema, given)) {
        for (const bound of what === 'whole' ? boundsAt(at).filter(isChecked) : []) {
          const stated = valueAt(document, [...at, bound.keyword]) === undefined ? follow(document, at).path : at;
          for (const side of some) {
            const shows = ({ value, pointer: place }: Found) =>
              sideOf(bound, value) === side && (side === 'at' || verdict?.isRefused(place, refusalOf(bound, value)));
            const name = sideName(partKey(whole, pointer), bound, side);
            yield element('bound', [owner, name], [...stated, bound.keyword], part.found.some(shows), {
              within: `${owner} ${partKey(whole, within)}`,
              part: { whole, pointer, media, schema: at, bound, side },
            });
          }
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
      // The headers of a failure, which one pipeline writes, count once for the component.
      const whole = status >= '400' && component !== undefined ? component : within;
      for (const [header, headerAt] of childrenOf(document, [...path, 'headers']))
        yield element('header', filed(whole, `header ${header}`), headerAt, exchange?.headers.has(header) === true, {
          within,
        });
      for (const [media, mediaAt] of childrenOf(document, [...path, 'content'])) {
        const isSent = exchange !== undefined && media === mediaOf(exchange.headers);
        yield element('media', [owner, `${status} ${media}`], mediaAt, isSent, { component, within });
        // A range of a JSON document is a piece of text.
        const isRead = isSent && media.endsWith('json') && status !== '206';
        const [bodyOwner, prefix] = filing(document, mediaAt, owner, status);
        const found = exchange && (isRead ? one(parsed(exchange.text)) : []);
        yield* members(['member', 'value'], {
          ...{ owner: bodyOwner, whole: prefix, schema: [...mediaAt, 'schema'], found },
        });
      }
    }
  }

  function* parameters(all: Path, placed: PlacedOperation, asked?: Asked): Generator<RestElement> {
    const { operationId: owner } = placed.operation;
    const read = asked && parametersIn(asked.operation, asked.exchange);
    for (const [, each] of childrenOf(document, all)) {
      const { value, path } = follow(document, each);
      const parameter = value as Parameter;
      const { name, in: place, content } = parameter;
      const whole = `${place} ${name}`;
      const schema = [...path, ...(content === undefined ? ['schema'] : ['content', 'application/json', 'schema'])];
      const found = read && one(read[place][nameOf(parameter)]);
      const isTaken = asked === undefined || isAccepted(asked.exchange.status);
      yield element('parameter', [owner, whole], path, isTaken && found?.length === 1);
      yield* members(['parameter', 'parameter'], { owner, whole, schema, found: isTaken ? found : [] });
      const verdict = asked && parameterVerdict(parameter, found?.[0]?.value, asked);
      yield* sides({ owner, whole, schema, found }, verdict, isChecked(place, schemaAt(document, schema)));
    }
  }

  function* body({ operation: { operationId: owner } }: PlacedOperation, at: Path, asked?: Asked) {
    const sent = asked?.exchange.request;
    const form = asked && bodyFormFor(asked.operation)(sent?.headers?.get('content-type') ?? '');
    const value = form?.kind === 'json' ? parsed(sent?.body ?? '') : sent?.body;
    const isTaken = asked === undefined || isAccepted(asked.exchange.status);
    for (const [media, mediaAt] of childrenOf(document, [...follow(document, at).path, 'content'])) {
      const use = { owner, whole: 'body', media, schema: [...mediaAt, 'schema'] };
      yield element('requestMedia', [owner, `body ${media}`], mediaAt, isTaken && media === mediaOf(sent?.headers));
      const found = form?.type === media ? one(value) : [];
      yield* members(['requestMember', 'requestValue'], asked ? { ...use, found: isTaken ? found : [] } : use);
      yield* asked ? sides({ ...use, found }, bodyVerdict(asked)) : sides(use);
    }
  }

  function* security({ path, method, operation }: PlacedOperation, asked?: Asked): Generator<RestElement> {
    const at = [...(operation.security ? ['paths', path, method] : []), 'security'];
    const stated: readonly SecurityRequirement[] = operation.security ?? document.security ?? [];
    if (stated.length < 2 && Object.keys(stated[0] ?? {}).length === 0) return;
    const schemes = document.components?.securitySchemes ?? {};
    const isUsed = (name: string) =>
      asked !== undefined && schemes[name] !== undefined && usesScheme(schemes[name], asked.exchange.request);
    const isTaken = asked !== undefined && isAccepted(asked.exchange.status);
    for (const [index, requirement] of stated.entries()) {
      const names = Object.keys(requirement);
      const isSeen = names.length > 0 ? names.every(isUsed) : !stated.flatMap(Object.keys).some(isUsed);
      const name = securityName(requirement);
      yield element('security', [operation.operationId, name], [...at, String(index)], isTaken && isSeen);
    }
  }

  function* ofOperation(placed: PlacedOperation, asked?: Asked): Generator<RestElement> {
    const at = ['paths', placed.path, placed.method];
    yield* responses(placed.operation.operationId, [...at, 'responses'], asked?.exchange);
    yield* parameters([...at, 'parameters'], placed, asked);
    yield* parameters(['paths', placed.path, 'parameters'], placed, asked);
    yield* body(placed, [...at, 'requestBody'], asked);
    yield* security(placed, asked);
  }
  const all = new Map(placedOperations(document).map((placed) => [placed.operation.operationId, placed]));

  return {
    /** Lists all elements, an element that is declared in several places each time. */
    *elements(): Generator<RestElement> {
      for (const placed of all.values()) yield* ofOperation(placed);
      yield* responses(UNMATCHED, [UNMATCHED]);
    },
    /** Returns the keys of the elements that an exchange shows. @param operation at its method and path, if there is one */
    observe(operation: Operation | undefined, exchange: Exchange): Set<string> {
      if (exchange.method === 'HEAD' && operation?.method !== 'HEAD') return new Set();
      const placed = operation && all.get(operation.operationId);
      const found = placed ? ofOperation(placed, { operation, exchange }) : responses(UNMATCHED, [UNMATCHED], exchange);
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

interface Asked {
  operation: Operation;
  exchange: Exchange;
}

/** A refusal counts if it lists what is wrong. */
const issuesOf = ({ exchange }: Asked) => ([400, 422].includes(exchange.status) ? issuesIn(exchange) : []);

function parameterVerdict(parameter: Parameter, value: unknown, asked: Asked): Verdict {
  const { status } = asked.exchange;
  const isId = parameter.in === 'path' && typeof value === 'number';
  const own = issuesOf(asked).filter((issue) => issue.parameter === nameOf(parameter));
  const isUnlisted = [400, 422].includes(status) && issuesOf(asked).length === 0;
  return {
    isAccepted: !isUnlisted && (isId ? isIdAccepted : isAccepted)(status),
    // The form of an id says of an id that is too small that it is none.
    isRefused: (pointer, refusal) =>
      own.some(({ detail }) => (isId && status === 400) || detail === `${pointer} ${refusal}`.trimStart()),
  };
}

function bodyVerdict(asked: Asked): Verdict {
  const issues = issuesOf(asked);
  return {
    isAccepted: isAccepted(asked.exchange.status),
    isRefused: (pointer, refusal) => issues.some((issue) => issue.pointer === pointer && issue.detail === refusal),
  };
}
