import type { Parameter } from '@accord-api/platform/internals/contract/document';
import { type Operation, placeOf, prefixOf } from '@accord-api/platform/internals/contract/openapi';
import { parameterForm, schemaOf, textsOf } from '@accord-api/platform/internals/contract/parameter-form';
import { type BodyForm, bodyForms } from '@accord-api/platform/internals/rest/request-body';
import fc from 'fast-check';
import { isPlain, queryOf, typedCookies, typedHeader } from './arbitrary-parameters.js';
import { anyText, headerText, onceIn, perhaps, spoilt, valid, wellFormed } from './arbitrary-values.js';
import type { Json } from './people.js';
import type { Drawn } from './send.js';
import { sentAs } from './sound-request.js';

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
