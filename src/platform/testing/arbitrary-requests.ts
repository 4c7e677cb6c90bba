import { codes } from 'currency-codes';
import fc from 'fast-check';
import type { Parameter, Schema } from '../contract/document.js';
import { laidOpen } from '../contract/laid-open.js';
import type { Operation } from '../contract/openapi.js';
import { type ParameterForm, parameterForm, schemaOf, textsOf } from '../contract/parameter-form.js';
import { placeOf, prefixOf } from '../contract/versions.js';
import { type BodyForm, bodyForms } from '../rest/request-body.js';
import type { Json } from './people.js';
import type { Drawn } from './send.js';

/** What a drawn request may name that exists: ids by the name of their parameter, and headers that authenticate. */
export interface World {
  ids: Record<string, string[]>;
  credentials: Record<string, string>[];
  /** The vendor media type, and the versions that are served. */
  mediaType: string;
  versions: string[];
}

/** A version that nobody will have written. */
const NOT_SERVED = '999';

/** Of fast-check's own unit `binary` there is a table of all code points: a second's work, and 130 MB. */
const codePoint = fc.integer({ min: 0, max: 0x10_ffff }).map((one) => String.fromCodePoint(one));
/** Any text: also NUL, lone surrogates and what lies outside the basic plane. */
const anyText = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 30 }),
  fc.constantFrom('', ' ', '\u0000', '\ud800', 'a\udc00', '__proto__', "' OR 1=1", 'x'.repeat(300), '😀'),
);
const anyNumber = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, -1, 2 ** 31, 2 ** 53, 1e21));
const anyValue: fc.Arbitrary<Json> = fc.oneof(anyText, anyNumber, fc.boolean(), fc.constant(null), fc.jsonValue());

/** Levels of a value below which only what it must have is drawn: of a schema that holds itself there would be no end. */
const LEVELS = 3;

const refersFurther = (schema: unknown): boolean => JSON.stringify(schema).includes('"$ref":"#/$defs/');

/** Values that a schema takes. @param root where its `$defs` are */
function valid(written: Schema, root = written, level = 0): fc.Arbitrary<Json> {
  const schema = laidOpen(written, root);
  const isDeep = level >= LEVELS;
  if (level > 3 * LEVELS) return anyValue;
  const inner = (one: unknown) => valid((one ?? {}) as Schema, root, level + 1);
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives) {
    const ending = alternatives.filter((one) => !refersFurther(one));
    const chosen = isDeep && ending.length > 0 ? ending : alternatives;
    const { oneOf: _, anyOf: __, ...beside } = schema;
    return fc.oneof(...chosen.map((one) => valid({ ...beside, allOf: [one] }, root, level + 1)));
  }
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const { type } = schema;
  if (Array.isArray(type)) return fc.oneof(...type.map((one) => valid({ ...schema, type: one }, root, level)));
  const { minimum = -1000, maximum = 1_000_000, minLength = 0, maxLength = 40 } = schema as Record<string, number>;
  switch (type) {
    case 'object': {
      const required = schema.required ?? [];
      const drawn = Object.entries(schema.properties ?? {}).filter(([name]) => !isDeep || required.includes(name));
      const members = drawn.map(([name, one]) => [name, inner(one)]);
      return fc.record(Object.fromEntries(members), { requiredKeys: required as never[] });
    }
    case 'array': {
      const { minItems = 0 } = schema as { minItems?: number };
      const maxLength = isDeep ? minItems : minItems + 3;
      return maxLength === 0 ? fc.constant([]) : fc.array(inner(schema.items), { minLength: minItems, maxLength });
    }
    case 'integer':
      return fc.integer({ min: Math.ceil(minimum), max: Math.floor(maximum) });
    case 'number':
      return fc.double({ min: minimum, max: maximum, noNaN: true });
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'string':
      if (schema['format'] === 'email') return fc.emailAddress();
      if (schema['format'] === 'uuid') return fc.uuid();
      if (schema['format'] === 'iso-4217') return fc.constantFrom(...codes());
      if (schema['pattern']) return fc.stringMatching(new RegExp(String(schema['pattern'])));
      return fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)) });
    default:
      return anyValue;
  }
}

/** A value that nearly fits: a member left out, put in, of another kind, or of the same kind and any content. */
const spoilt = (schema: Schema): fc.Arbitrary<Json> =>
  fc.tuple(valid(schema), fc.nat(), anyValue, anyText, fc.nat(5)).map(([value, at, other, name, how]) => {
    if (typeof value !== 'object' || value === null) return other;
    const names = Object.keys(value);
    const chosen = names[at % Math.max(1, names.length)] ?? name;
    if (how === 0) return Object.fromEntries(Object.entries(value).filter(([key]) => key !== chosen));
    if (how > 2) return { ...value, [chosen]: typeof value[chosen] === 'number' ? at * 1e6 : name };
    return { ...value, [how === 1 ? chosen : name]: other };
  });

/** A body and its media type. */
interface DrawnBody {
  payload: string | Uint8Array;
  mediaType: string;
}

const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/merge-patch+json',
  'text/plain',
  'x',
];

/** Bodies that an operation reads, sound ones and spoilt ones. */
function formed({ type, kind, schema = {} }: BodyForm): fc.Arbitrary<DrawnBody> {
  const named = (payload: string | Uint8Array) => ({
    payload,
    mediaType: type.replace('*/*', 'x/x').replace('*', 'x'),
  });
  if (kind === 'stream') return fc.uint8Array({ maxLength: 200 }).map(named);
  const [sound, other] = [valid(schema), spoilt(schema)];
  if (kind === 'text') return fc.oneof(sound, anyText).map((text) => named(String(text)));
  const json = (value: Json) => named(JSON.stringify(value));
  return fc.oneof({ weight: 6, arbitrary: sound.map(json) }, { weight: 4, arbitrary: other.map(json) });
}

function bodyOf(operation: Operation): fc.Arbitrary<DrawnBody | undefined> {
  const none = fc.constant(undefined);
  const junk = fc
    .oneof(fc.json(), anyText, fc.constantFrom('{', '[[', '{"a":1,"a":2}', '{"__proto__":1}', '1e400', 'null'))
    .map((payload) => ({ payload, mediaType: TYPES[0] as string }));
  const forms = bodyForms(operation);
  if (forms.length === 0) return fc.oneof({ weight: 5, arbitrary: none }, { weight: 1, arbitrary: junk });
  return fc.oneof(
    { weight: 10, arbitrary: fc.oneof(...forms.map(formed)) },
    { weight: 1, arbitrary: junk },
    { weight: 1, arbitrary: none },
  );
}

/** `some` once in `of` times, else nothing. */
const onceIn = <T>(of: number, some: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: of - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: some });

/** Given once in three times, and then once in four anything at all. */
const perhaps = <T>(value: fc.Arbitrary<T>, junk: fc.Arbitrary<T>) =>
  onceIn(3, fc.oneof({ weight: 3, arbitrary: value }, { weight: 1, arbitrary: junk }));

const headerText = fc.stringMatching(/^[\x21-\x7e]([\x20-\x7e]{0,30}[\x21-\x7e])?$/);
const wellFormed = anyText.map((text) => text.toWellFormed());

/** Texts that nearly are of a form. */
const nearly = (form: ParameterForm): readonly string[] => {
  const scalars = ['TRUE', '1', 'null', '', '-0', '01', '0x10', '1e999', '1e-999', 'NaN', '9007199254740993', '1,5'];
  if (form.kind === 'json') return ['{', '', '{"__proto__":1}', '{"a":1,"a":2}', '1e400', '['.repeat(200)];
  return form.kind === 'list' ? [...scalars, ',', '1,,2', ',1', 'a|b', '1 2', '%2C'] : scalars;
};

type Pairs = [key: string, text: string][];

/** What a parameter is given: what its schema takes, what nearly is that, and now and then anything. */
function given(
  parameter: Parameter,
  escaped: (text: string) => string,
  junk: fc.Arbitrary<string> = wellFormed,
): fc.Arbitrary<Pairs> {
  const { name } = parameter;
  const form = parameterForm(parameter);
  const written = valid(schemaOf(parameter)).map((value) =>
    value === null ? [] : textsOf(name, form, value, escaped),
  );
  const text = fc.oneof(junk, fc.constantFrom(...nearly(form)));
  const key =
    form.kind === 'deepObject'
      ? fc.constantFrom(name, `${name}[`, `${name}[a][b]`, `${name}[__proto__]`)
      : fc.constant(name);
  const other = fc
    .tuple(key, text, fc.nat(5))
    .map(([at, one, times]): Pairs => Array.from({ length: times === 0 ? 2 : 1 }, () => [at, escaped(one)]));
  if (parameter.required !== true) return perhaps(written, other).map((pairs) => pairs ?? []);
  // Without it there would be nothing but refusals.
  const none = fc.constant<Pairs>([]);
  return fc.oneof({ weight: 10, arbitrary: written }, { weight: 2, arbitrary: other }, { weight: 1, arbitrary: none });
}

function queryOf(parameters: Parameter[]): fc.Arbitrary<string> {
  const drawn = (isRequired: boolean) =>
    parameters.filter(({ required = false }) => required === isRequired).map((one) => given(one, encodeURIComponent));
  const [required, others] = [drawn(true), drawn(false)];
  // Few at a time, or nearly every list would mix its styles.
  const unknown = onceIn(12, fc.tuple(wellFormed, wellFormed));
  return fc
    .tuple(
      fc.tuple(...required),
      fc.subarray(others, { maxLength: Math.min(2, others.length) }).chain((some) => fc.tuple(...some)),
      unknown,
    )
    .map(([demanded, known, other]) => {
      const named = [...demanded, ...known].flat().map(([name, text]) => [encodeURIComponent(name), text]);
      const pairs = [...named, ...(other ? [other.map(encodeURIComponent)] : [])];
      return pairs.map((pair) => pair.join('=')).join('&');
    });
}

const isPlain = (parameter: Parameter): boolean => {
  const form = parameterForm(parameter);
  return form.kind === 'scalar' && form.types.includes('string');
};

/** What may be the value of a header. */
const isFieldText = (text: string): boolean => /^([\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?)?$/.test(text);

const typedHeader = (parameter: Parameter): fc.Arbitrary<Record<string, string>> =>
  given(parameter, String, headerText).map((pairs) =>
    Object.fromEntries(pairs.filter(([, text]) => isFieldText(text)).map(([name, text]) => [name.toLowerCase(), text])),
  );

const typedCookies = (parameters: Parameter[]): fc.Arbitrary<Record<string, string>> =>
  fc.tuple(...parameters.filter((one) => !isPlain(one)).map((one) => given(one, encodeURIComponent))).map((all) => {
    const cookie = all
      .flat()
      .map((pair) => pair.join('='))
      .join('; ');
    return cookie === '' ? ({} as Record<string, string>) : { cookie };
  });

function headersOf(
  all: { headers: Parameter[]; cookies: Parameter[] },
  { credentials, mediaType, versions }: World,
): fc.Arbitrary<Record<string, string>> {
  const plain = all.headers
    .filter(isPlain)
    .map(({ name }) =>
      perhaps(
        fc.constantFrom('*', '"1-1"', 'return=minimal', 'return=representation', 'respond-async', 'bytes=0-9', 'key-1'),
        headerText,
      ).map((value): Record<string, string> => (value === undefined ? {} : { [name.toLowerCase()]: value })),
    );
  const typed = all.headers.filter((one) => !isPlain(one)).map(typedHeader);
  const declared = [...plain, ...typed, typedCookies(all.cookies)];
  const accept = fc.constantFrom(
    ...['*/*', 'application/json', mediaType, ...versions.map((version) => `${mediaType}; version=${version}`)],
    ...[`${mediaType};v=${NOT_SERVED}`, 'text/html', 'image/png;q=0, */*;q=0.1', ''],
  );
  const authorization = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...credentials) },
    { weight: 1, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: headerText.map((text) => ({ authorization: `Bearer ${text}` })) },
    { weight: 1, arbitrary: headerText.map((authorization) => ({ authorization })) },
  );
  const subdomains = [...versions, NOT_SERVED].map((version) => `v${version}.api.example.com`);
  const host = fc.constantFrom('localhost', 'localhost', 'localhost', ...subdomains);
  return fc
    .tuple(authorization, perhaps(accept, headerText), host, ...declared)
    .map(([who, accepted, at, ...others]) =>
      Object.assign({ host: at }, who, accepted === undefined ? {} : { accept: accepted }, ...others),
    );
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];

/** Any request to an operation, and now and then to its neighbourhood: another method, version or spelling of the path. */
export function requestTo(operation: Operation, world: World): fc.Arbitrary<Drawn> {
  const { parameters } = operation.operation;
  const { version } = placeOf(operation.path) ?? {};
  const prefix = version === undefined ? '' : prefixOf(version);
  const place = (where: string) => parameters.filter(({ in: one }) => one === where);
  // "." and ".." are no segments: a client takes them out of the path before it asks.
  const isSegment = (text: string) => text !== '' && !/^\.+$/.test(text);
  const segment = (parameter: Parameter) => {
    const ids = world.ids[parameter.name];
    const fitting = valid(schemaOf(parameter))
      .map((value) => textsOf(parameter.name, parameterForm(parameter), value, encodeURIComponent)[0]?.[1] ?? '')
      .map((text) => (isSegment(text) ? text : '1'));
    return fc.oneof(
      { weight: 8, arbitrary: ids ? fc.constantFrom(...ids.map(encodeURIComponent)) : fitting },
      { weight: 1, arbitrary: fc.integer({ min: 900_000 }).map(String) },
      { weight: 1, arbitrary: wellFormed.filter(isSegment).map(encodeURIComponent) },
    );
  };
  const segments = fc.tuple(...place('path').map((one) => segment(one).map((text) => [one.name, text] as const)));
  const path = segments.map((given) => {
    const byName = Object.fromEntries(given);
    return operation.path.replaceAll(/{(\w+)}/g, (_, name: string) => byName[name] ?? '');
  });
  const spelling = fc.oneof(
    { weight: 12, arbitrary: fc.constant((text: string) => text) },
    { weight: 2, arbitrary: fc.constant((text: string) => text.replace(prefix, '')) },
    { weight: 1, arbitrary: fc.constant((text: string) => text.replace(prefix, prefix && prefixOf(NOT_SERVED))) },
    { weight: 1, arbitrary: fc.constant((text: string) => `${text}/`) },
  );
  const method = fc.oneof(
    {
      weight: 12,
      arbitrary: fc.constantFrom(operation.method, operation.method === 'GET' ? 'HEAD' : operation.method),
    },
    { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
  );
  /** Of another media type, now and then. */
  const type = onceIn(10, fc.constantFrom(...TYPES));
  return fc
    .tuple(
      method,
      path,
      spelling,
      queryOf(place('query')),
      headersOf({ headers: place('header'), cookies: place('cookie') }, world),
      bodyOf(operation),
      type,
    )
    .map(([verb, pathname, spell, query, headers, body, other]) => ({
      method: verb,
      url: spell(pathname) + (query && `?${query}`),
      headers: { ...headers, ...(body && { 'content-type': other ?? body.mediaType }) },
      payload: body?.payload,
    }));
}
