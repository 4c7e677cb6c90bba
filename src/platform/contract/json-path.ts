import { isObject, keysOf, valueAt } from './references.js';

/** The keys that lead to a place of a document, from its root. */
export type Keys = readonly (string | number)[];

/** The same text for the same keys, and for no others. */
export const keyOf = (keys: Keys): string => JSON.stringify(keys.map(String));

/** Something in a document, and where it stands: that of what a reference names is where that stands. */
interface Place {
  keys: Keys;
  value: unknown;
  /** Where the references stand that led there. */
  via: readonly Keys[];
}

type Step = { names: readonly (string | number)[] } | 'all' | { filter: Test };
/** Whether a filter takes what `@` is. */
type Test = (current: Place, document: unknown) => boolean;
/** A value that a filter compares; undefined where there is none. */
type Operand = (current: Place, document: unknown) => unknown;

/** A query that cannot be read: what is wrong, for whoever wrote it. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}

/** What a reference names, and where; anything else is itself. */
function followed(document: unknown, place: Place): Place {
  let at = place;
  const seen = new Set<unknown>();
  while (isObject(at.value) && typeof at.value['$ref'] === 'string' && !seen.has(at.value)) {
    seen.add(at.value);
    const keys = keysOf(at.value['$ref']);
    at = { keys, value: valueAt(document, keys), via: [...at.via, at.keys] };
  }
  return at;
}

function children(place: Place): Place[] {
  const { keys, value, via } = place;
  if (Array.isArray(value)) return value.map((one, index) => ({ keys: [...keys, index], value: one, via }));
  return isObject(value)
    ? Object.entries(value).map(([name, one]) => ({ keys: [...keys, name], value: one, via }))
    : [];
}

function taken(step: Step, document: unknown, from: Place): Place[] {
  const all = children(from);
  if (step === 'all') return all;
  if ('names' in step) return all.filter(({ keys }) => step.names.includes(keys.at(-1) as string | number));
  return all.filter((one) => step.filter(followed(document, one), document));
}

const walk = (steps: readonly Step[], document: unknown, from: Place): Place[] =>
  steps.reduce<Place[]>(
    (places, step) => places.flatMap((place) => taken(step, document, followed(document, place))),
    [from],
  );

const TOKEN =
  /\s*(?:(&&|\|\||[=!]=|[<>]=?|[$@.*?[\](),!])|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(-?\d+)|([A-Za-z_][\w-]*))/y;

interface Token {
  kind: 'sign' | 'text' | 'number' | 'name' | 'end';
  text: string;
  at: number;
}

function tokensOf(query: string): Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(TOKEN);
  while (pattern.lastIndex < query.trimEnd().length) {
    const at = pattern.lastIndex;
    const found = pattern.exec(query);
    if (found === null) throw new JsonPathError(`"${query}" cannot be read from column ${at + 1} on.`);
    const [, sign, single, double, number, name] = found;
    const quoted = single ?? double;
    if (sign !== undefined) tokens.push({ kind: 'sign', text: sign, at });
    else if (quoted !== undefined) tokens.push({ kind: 'text', text: quoted.replaceAll(/\\(.)/g, '$1'), at });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, at });
    else tokens.push({ kind: 'name', text: name as string, at });
  }
  return [...tokens, { kind: 'end', text: '', at: query.length }];
}

const COMPARE: Record<string, (one: unknown, other: unknown) => boolean> = {
  '==': (one, other) => one === other,
  '!=': (one, other) => one !== other,
};
const WORDS: Record<string, unknown> = { true: true, false: false, null: null };

function reader(query: string) {
  const tokens = tokensOf(query);
  let next = 0;
  const peek = () => tokens[next] as Token;
  const refuse = (wanted: string): never => {
    const { kind, text, at } = peek();
    const found = kind === 'end' ? 'ends' : `has "${text}"`;
    throw new JsonPathError(`"${query}" ${found} at column ${at + 1}, where ${wanted} is expected.`);
  };
  const isSign = (text: string) => peek().kind === 'sign' && peek().text === text;
  function take(text: string): boolean {
    if (!isSign(text)) return false;
    next += 1;
    return true;
  }
  const demand = (text: string) => take(text) || refuse(`"${text}"`);
  function taking(...kinds: Token['kind'][]): Token {
    const token = peek();
    if (!kinds.includes(token.kind)) refuse(kinds.join(' or '));
    next += 1;
    return token;
  }

  function member(): Step {
    if (take('*')) return 'all';
    return { names: [taking('name').text] };
  }
  function bracket(): Step {
    if (take('*')) return 'all';
    if (take('?')) return { filter: either() };
    const names: (string | number)[] = [];
    do {
      const { kind, text } = taking('text', 'number');
      names.push(kind === 'number' ? Number(text) : text);
    } while (take(','));
    return { names };
  }
  function steps(): Step[] {
    const found: Step[] = [];
    for (;;) {
      if (take('.')) found.push(member());
      else if (take('[')) {
        found.push(bracket());
        demand(']');
      } else return found;
    }
  }
  function operand(): { value: Operand; isQuery: boolean } {
    if (take('@')) {
      const path = steps();
      const value: Operand = (current, document) => {
        const [first] = walk(path, document, current);
        return first && followed(document, first).value;
      };
      return { value, isQuery: true };
    }
    const { kind, text } = taking('text', 'number', 'name');
    if (kind === 'name' && !Object.hasOwn(WORDS, text)) {
      next -= 1;
      refuse('a value');
    }
    const literal = kind === 'text' ? text : kind === 'number' ? Number(text) : WORDS[text];
    return { value: () => literal, isQuery: false };
  }
  function single(): Test {
    if (take('!')) {
      const test = single();
      return (...given) => !test(...given);
    }
    if (take('(')) {
      const test = either();
      demand(')');
      return test;
    }
    const { value, isQuery } = operand();
    const compare = peek().kind === 'sign' ? COMPARE[peek().text] : undefined;
    if (compare === undefined) return isQuery ? (...given) => value(...given) !== undefined : refuse('"==" or "!="');
    next += 1;
    const other = operand().value;
    return (...given) => compare(value(...given), other(...given));
  }
  function both(): Test {
    const tests = [single()];
    while (take('&&')) tests.push(single());
    return (...given) => tests.every((test) => test(...given));
  }
  function either(): Test {
    const tests = [both()];
    while (take('||')) tests.push(both());
    return (...given) => tests.some((test) => test(...given));
  }

  demand('$');
  const found = steps();
  return peek().kind === 'end' ? found : refuse('"." or "["');
}

/**
 * What a JSONPath query selects in a document, each node once, in its order. References on the way are followed, and one that
 * is selected is what it names.
 *
 * Understood is of RFC 9535 what selects parts of a contract: names, `*`, indices, lists of them, and filters of `==`, `!=`, what is
 * there, `!`, `&&` and `||`; neither `..`, slices nor functions.
 * @throws JsonPathError for a query that cannot be read
 */
export function select(document: unknown, query: string): Place[] {
  const places = new Map<string, Place>();
  for (const found of walk(reader(query), document, { keys: [], value: document, via: [] })) {
    const place = followed(document, found);
    const key = keyOf(place.keys);
    places.set(key, { ...place, via: [...(places.get(key)?.via ?? []), ...place.via] });
  }
  return [...places.values()];
}
