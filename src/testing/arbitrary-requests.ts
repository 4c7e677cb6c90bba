import type { Parameter } from '@accord-api/platform/internals/contract/document';
import { type Operation, placeOf, prefixOf } from '@accord-api/platform/internals/contract/openapi';
import {
  type ParameterForm,
  parameterForm,
  schemaOf,
  textsOf,
} from '@accord-api/platform/internals/contract/parameter-form';
import { type BodyForm, bodyForms } from '@accord-api/platform/internals/rest/request-body';
import fc from 'fast-check';
import type { Drawn } from './client.js';
import type { Json } from './people.js';
import { sentAs } from './sound-request.js';
import { anyText, headerText, onceIn, perhaps, spoilt, valid, wellFormed } from './values.js';

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
  const other = fc
    .tuple(text, fc.nat(5))
    .map(([one, times]): Pairs => Array.from({ length: times === 0 ? 2 : 1 }, () => [name, escaped(one)]));
  if (parameter.required !== true) return perhaps(written, other).map((pairs) => pairs ?? []);
  // Without it there would be nothing but refusals.
  const none = fc.constant<Pairs>([]);
  return fc.oneof({ weight: 10, arbitrary: written }, { weight: 2, arbitrary: other }, { weight: 1, arbitrary: none });
}

/** The texts of a query: of each parameter what it takes, what nearly is that, or nothing, and now and then one that is unknown. */
export function queryOf(parameters: Parameter[]): fc.Arbitrary<string> {
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

/** Whether any text can be read as it. */
export const isPlain = (parameter: Parameter): boolean => {
  const form = parameterForm(parameter);
  return form.kind === 'scalar' && form.types.includes('string');
};

/** What may be the value of a header. */
const isFieldText = (text: string): boolean => /^([\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?)?$/.test(text);

/** A header that is no text to its reader, by its name in lower case. */
const typedHeader = (parameter: Parameter): fc.Arbitrary<Record<string, string>> =>
  given(parameter, String, headerText).map((pairs) =>
    Object.fromEntries(pairs.filter(([, text]) => isFieldText(text)).map(([name, text]) => [name.toLowerCase(), text])),
  );

/** Those cookies that are no texts to their reader. */
const typedCookies = (parameters: Parameter[]): fc.Arbitrary<Record<string, string>> =>
  fc.tuple(...parameters.filter((one) => !isPlain(one)).map((one) => given(one, encodeURIComponent))).map((all) => {
    const cookie = all
      .flat()
      .map((pair) => pair.join('='))
      .join('; ');
    return cookie === '' ? ({} as Record<string, string>) : { cookie };
  });

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
  const named = (payload: string | Uint8Array) => ({ payload, mediaType: sentAs(type) });
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
