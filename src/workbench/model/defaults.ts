import {
  isObject,
  isPlain,
  type Keys,
  keyOf,
  keysOf,
  METHODS,
  type Method,
  type OpenApiDocument,
  type OperationObject,
  valueAt,
} from '@accord-api/platform/contract/document';
import { splitPath } from '@accord-api/platform/contract/openapi';
import type { Finding } from './yaml-source.js';

export const DEFAULTS = 'x-defaults';

/** An entry has exactly one of these. */
export const SELECTORS = ['operations', 'unmatched', 'problems'] as const;

interface Default {
  description?: string;
  /** Names of `PREDICATES`; an operation must satisfy all of them. */
  operations?: string | string[];
  /** Selects responses of the operations instead: `every`, or those with these statuses. */
  responses?: string | string[];
  unmatched?: 'every';
  problems?: 'every';
  /** Adds missing members, and missing entries of lists. */
  update?: Record<string, unknown>;
  /** Copies a media type of a response, or a member of an example of a problem document, under another name. */
  copy?: Record<string, string>;
}

export interface Completed {
  document: OpenApiDocument;
  faults: Finding[];
  originOf: (keys: Keys) => Keys;
}

/** A value of the document. `via` are the keys of the reference that led to it. */
interface Place {
  keys: Keys;
  value: unknown;
  via?: Keys | undefined;
}

/** A place to complete, the references to it, and the objects whose members are copied. */
interface Target {
  place: Place;
  uses: Set<string>;
  copied: Place[];
}

interface Candidate {
  path: string;
  method: Method;
  operation: Partial<OperationObject>;
  keys: Keys;
  response: (status: string) => Place | undefined;
}

const WRITES: readonly Method[] = ['post', 'put', 'patch', 'delete'];

export const PREDICATES: Readonly<Record<string, (candidate: Candidate) => boolean>> = {
  every: () => true,
  counted: ({ operation }) => operation['x-rate-limit'] !== false,
  uncounted: ({ operation }) => operation['x-rate-limit'] === false,
  versioned: ({ path }) => splitPath(path) !== undefined,
  restricted: ({ operation }) => isPlain(operation['x-permission']),
  reads: ({ method }) => method === 'get',
  writes: ({ method }) => WRITES.includes(method),
  takesBody: ({ operation }) => operation.requestBody !== undefined,
  lists: ({ response }) => declaresHeader(response('200'), 'X-Total-Count'),
  documents: ({ response }) => declaresHeader(response('200'), 'Accept-Ranges') || response('206') !== undefined,
};

const declaresHeader = (response: Place | undefined, name: string): boolean => {
  const headers = isPlain(response?.value) ? response.value['headers'] : undefined;
  return isPlain(headers) && name in headers;
};

const PROBLEM = 'application/problem+json';
const MEMBERS = ['description', ...SELECTORS, 'responses', 'update', 'copy'];

const isTexts = (value: unknown): boolean =>
  value === undefined ||
  typeof value === 'string' ||
  (Array.isArray(value) && value.every((item) => typeof item === 'string'));

/** Returns why an entry cannot be applied, and the member that is wrong; undefined for a valid entry. */
function flawOf(entry: unknown): { member?: string; message: string } | undefined {
  if (!isPlain(entry)) return { message: 'A default is an object.' };
  const { operations, responses, update, copy } = entry;
  const surplus = Object.keys(entry).find((name) => !MEMBERS.includes(name));
  if (surplus !== undefined) return { message: `A default has ${MEMBERS.join(', ')}, and no \`${surplus}\`.` };
  const [selector, ...others] = SELECTORS.filter((name) => name in entry);
  const isEvery =
    selector !== 'operations' && (selector === undefined || entry[selector] !== 'every' || responses !== undefined);
  if (others.length > 0 || isEvery || !isTexts(operations) || !isTexts(responses))
    return {
      message: 'A default has `operations`, and optionally `responses`; or `problems: every`; or `unmatched: every`.',
    };
  const unknown = [operations ?? []].flat().find((name) => !Object.hasOwn(PREDICATES, String(name)));
  if (unknown !== undefined) {
    const known = Object.keys(PREDICATES).join(', ');
    return { member: 'operations', message: `There are no operations called \`${unknown}\`: use ${known}.` };
  }
  const isCopy = copy === undefined || (isPlain(copy) && Object.values(copy).every((to) => typeof to === 'string'));
  if (!isCopy || !(update === undefined || isPlain(update)) || (update ?? copy) === undefined)
    return { message: 'A default has an `update`, an object to merge, or a `copy`, names by names.' };
  if (copy !== undefined && selector === 'operations' && responses === undefined)
    return { member: 'copy', message: 'Only responses and problem documents have members to copy.' };
  return undefined;
}

/** Returns the identity of an entry of a list. A parameter has a location and a name, also if it is a reference. */
function identityOf(document: unknown, entry: unknown): string {
  const reference = isPlain(entry) ? entry['$ref'] : undefined;
  const value = typeof reference === 'string' ? valueAt(document, keysOf(reference)) : entry;
  const isParameter = isPlain(value) && typeof value['in'] === 'string' && typeof value['name'] === 'string';
  return isParameter ? `${value['in']} ${value['name']}` : JSON.stringify(entry);
}

function followed(document: unknown, { keys, value, via }: Place): Place {
  if (!isObject(value) || typeof value['$ref'] !== 'string') return via ? { keys, value, via } : { keys, value };
  const target = keysOf(value['$ref']);
  return { keys: target, value: valueAt(document, target), via: keys };
}

const membersOf = ({ keys, value }: Place): Place[] =>
  isPlain(value) ? Object.entries(value).map(([name, member]) => ({ keys: [...keys, name], value: member })) : [];

const memberOf = ({ keys, value }: Place, name: string): Place => ({
  keys: [...keys, name],
  value: isObject(value) ? value[name] : undefined,
});

/** Returns the operations of a document that may be invalid. */
export function candidatesIn(document: unknown): Candidate[] {
  return membersOf({ keys: ['paths'], value: valueAt(document, ['paths']) }).flatMap((written) => {
    const item = followed(document, written);
    return METHODS.flatMap((method) => {
      const { keys, value } = memberOf(item, method);
      if (!isPlain(value)) return [];
      const responses = memberOf({ keys, value }, 'responses');
      const response = (status: string) => {
        const found = followed(document, memberOf(responses, status));
        return isPlain(found.value) ? found : undefined;
      };
      return { path: String(written.keys[1]), method, operation: value, keys, response };
    });
  });
}

/**
 * Applies the entries of `x-defaults` in their order. Existing members take precedence. References stay, and their targets are completed.
 * @param authored the parsed contract, which is not changed
 * @param own the number of entries that must apply to something. Those of parts follow
 */
export function applyDefaults(authored: unknown, own = Number.POSITIVE_INFINITY): Completed {
  const entries = isPlain(authored) ? authored[DEFAULTS] : undefined;
  if (entries === undefined) return { document: authored as OpenApiDocument, faults: [], originOf: (keys) => keys };
  const { [DEFAULTS]: _stated, ...document } = structuredClone(authored) as Record<string, unknown>;
  const origins = new Map<string, Keys>();
  const faults: Finding[] = [];
  const fault = (path: Keys, message: string) => void faults.push({ path, rule: 'defaults', message });

  function originOf(keys: Keys): Keys {
    for (let length = keys.length; length > 0; length -= 1) {
      const origin = origins.get(keyOf(keys.slice(0, length)));
      if (origin !== undefined) return [...origin, ...keys.slice(length)];
    }
    return keys;
  }
  function append(list: unknown[], added: readonly unknown[], at: Keys, from: Keys): void {
    const known = new Set(list.map((entry) => identityOf(document, entry)));
    for (const [index, entry] of added.entries()) {
      if (known.has(identityOf(document, entry))) continue;
      origins.set(keyOf([...at, list.length]), [...from, index]);
      list.push(structuredClone(entry));
    }
  }
  function merge(target: Record<string, unknown>, update: Record<string, unknown>, at: Keys, from: Keys): void {
    for (const [name, value] of Object.entries(update)) {
      const own = target[name];
      const [place, origin] = [
        [...at, name],
        [...from, name],
      ];
      if (own === undefined) {
        target[name] = structuredClone(value);
        origins.set(keyOf(place), origin);
      } else if (Array.isArray(own) && Array.isArray(value)) append(own, value, place, origin);
      else if (isPlain(own) && isPlain(value) && !('$ref' in own) && !('$ref' in value)) {
        merge(own, value, place, origin);
      }
    }
  }
  function copyMembers({ keys, value }: Place, copy: Record<string, string>): void {
    if (!isPlain(value)) return;
    for (const [from, to] of Object.entries(copy)) {
      if (value[from] === undefined || value[to] !== undefined) continue;
      value[to] = structuredClone(value[from]);
      origins.set(keyOf([...keys, to]), originOf([...keys, from]));
    }
  }

  const responsesOf = (all: readonly Candidate[], isWanted: (status: string) => boolean = () => true): Place[] =>
    all.flatMap((candidate) =>
      Object.keys(candidate.operation.responses ?? {})
        .filter(isWanted)
        .flatMap((status) => candidate.response(status) ?? []),
    );

  function targetsOf({ operations, responses, unmatched }: Default): Target[] {
    const targets = new Map<string, Target>();
    const add = (place: Place, copied: Place[]): void => {
      const key = keyOf(place.keys);
      const target = targets.get(key) ?? { place, copied, uses: new Set() };
      if (place.via) target.uses.add(keyOf(place.via));
      if (isPlain(place.value)) targets.set(key, target);
    };
    const inDocument = (...keys: string[]): Place[] => membersOf({ keys, value: valueAt(document, keys) });
    const addResponses = (found: readonly Place[]) => {
      for (const place of found) add(place, [memberOf(place, 'content')]);
    };
    if (unmatched !== undefined) addResponses(inDocument('x-unmatched').map((place) => followed(document, place)));
    else if (operations === undefined) {
      for (const response of inDocument('components', 'responses')) {
        const problem = memberOf(memberOf(response, 'content'), PROBLEM);
        const examples = membersOf(memberOf(problem, 'examples')).map((member) =>
          memberOf(followed(document, member), 'value'),
        );
        add(problem, [memberOf(problem, 'example'), ...examples]);
      }
    } else {
      const names = [operations].flat();
      const all = candidatesIn(document).filter((candidate) => names.every((name) => PREDICATES[name]?.(candidate)));
      if (responses === undefined) for (const { keys, operation } of all) add({ keys, value: operation }, []);
      else addResponses(responsesOf(all, (status) => responses === 'every' || [responses].flat().includes(status)));
    }
    return [...targets.values()];
  }

  const completed: { target: Target; selector: Keys }[] = [];

  /** Checks that a completed component is used only where the default applies. Runs last, because defaults add references. */
  function checkUses(): void {
    const all = completed.length === 0 ? [] : responsesOf(candidatesIn(document));
    for (const { target, selector } of completed) {
      const { place, uses } = target;
      const at = keyOf(place.keys);
      const other = all.find(({ keys, via }) => via && keyOf(keys) === at && !uses.has(keyOf(via)));
      if (other === undefined) continue;
      const message = `This default completes #/${place.keys.join('/')}, which is also used where the default does not apply: ${other.via?.join(' ')}. Use another component there.`;
      fault(selector, message);
    }
  }

  function apply(entry: Default, path: Keys, mustApply: boolean): void {
    const targets = targetsOf(entry);
    const selector = [...path, SELECTORS.find((name) => name in entry) ?? ''];
    if (targets.length === 0 && mustApply) fault(selector, 'This default applies to nothing here.');
    for (const target of targets) {
      const { place, uses, copied } = target;
      const known = origins.size;
      merge(place.value as Record<string, unknown>, entry.update ?? {}, place.keys, [...path, 'update']);
      for (const place of copied) copyMembers(place, entry.copy ?? {});
      if (origins.size > known && uses.size > 0) completed.push({ target, selector });
    }
  }

  if (!Array.isArray(entries)) fault([DEFAULTS], 'The defaults are a list.');
  for (const [index, entry] of (Array.isArray(entries) ? entries : []).entries()) {
    const path = [DEFAULTS, index];
    const flaw = flawOf(entry);
    if (flaw === undefined) apply(entry as Default, path, index < own);
    else fault(flaw.member === undefined ? path : [...path, flaw.member], flaw.message);
  }
  checkUses();
  return { document: document as unknown as OpenApiDocument, faults, originOf };
}
