/** Generates requests for the suite `drawnRequests`: sound requests to REST operations with a few random mistakes. @module */

import { Agent } from 'node:http';
import type { Parameter } from '@accord-api/platform/internals/core/contract/document';
import {
  bodyForms,
  prefixOf,
  type RestOperation,
  splitPath,
} from '@accord-api/platform/internals/core/contract/openapi';
import { parameterForm, schemaOf } from '@accord-api/platform/internals/core/contract/parameter-form';
import fc from 'fast-check';
import { type RawRequest, sendRaw } from './client.js';
import { type ConformanceOptions, type Draft, suite } from './kit.js';
import type { TestService } from './service.js';
import { addressOf, soundRequest, testedOperations, withBody, withParameter } from './sound-request.js';
import { anyText, nearlyValidValues, validValues } from './values.js';

/** The number of sound requests to each operation, which the generated ones change. */
const SOUND_REQUESTS = 8;
const UNKNOWN_VERSION = '999';

/** Texts that are easily misread as a number, a boolean, a list or JSON. */
const MISLEADING_TEXTS = {
  scalar: [
    ...['TRUE', '1', 'null', '', '-0', '01', '0x10', '1e999', '1e-999', 'NaN', '9007199254740993', '1,5', '*', '"1-1"'],
  ],
  list: [',', '1,,2', ',1', 'a|b', '1 2', '%2C'],
  json: ['{', '', '{"__proto__":1}', '{"a":1,"a":2}', '1e400', '['.repeat(200)],
};
const MEDIA_TYPES = ['application/json; charset=utf-8', 'application/merge-patch+json', 'text/plain', 'x'];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];

const unicodeText = anyText.map((text) => text.toWellFormed());
const headerText = fc.stringMatching(/^[\x21-\x7e]([\x20-\x7e]{0,30}[\x21-\x7e])?$/);
const isHeaderText = (text: string): boolean => /^([\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?)?$/.test(text);
/** Clients remove the segments `.` and `..`. */
const isSegment = (text: string): boolean => text !== '' && !/^\.+$/.test(text);

const weighted = <T>(...all: [weight: number, arbitrary: fc.Arbitrary<T>][]): fc.Arbitrary<T> =>
  fc.oneof(...all.map(([weight, arbitrary]) => ({ weight, arbitrary })));

type Change = (draft: Draft) => Draft;
const unchanged = fc.constant<Change>((draft) => draft);
const once = (weight: number, change: fc.Arbitrary<Change>): fc.Arbitrary<Change> =>
  weighted([weight - 1, unchanged], [1, change]);

/** Generates changes from generated values. */
const changeBy = <T>(values: fc.Arbitrary<T>, apply: (draft: Draft, value: T) => Draft): fc.Arbitrary<Change> =>
  values.map((value) => (draft) => apply(draft, value));

const headerChange = (name: string, values: readonly string[]): fc.Arbitrary<Change> =>
  changeBy(fc.constantFrom(...values), (draft, value) => ({ ...draft, headers: { ...draft.headers, [name]: value } }));

/** Generates values of a parameter: valid ones, misleading ones and any text. */
function parameterChange(parameter: Parameter): fc.Arbitrary<Change> {
  const { in: place } = parameter;
  const { kind } = parameterForm(parameter);
  const texts = kind === 'json' ? MISLEADING_TEXTS.json : [...MISLEADING_TEXTS.scalar, ...MISLEADING_TEXTS.list];
  const junk = fc.oneof(place === 'header' ? headerText : unicodeText, fc.constantFrom(...texts));
  return changeBy(weighted<unknown>([6, validValues(schemaOf(parameter))], [2, junk]), (draft, value) => {
    if (value === null) return draft;
    const changed = withParameter(draft, parameter, value);
    const isSendable =
      Object.values(changed.headers).every(isHeaderText) && Object.values(changed.path).every(isSegment);
    return isSendable ? changed : draft;
  });
}

/** Generates bodies: valid and nearly valid ones in each media type, malformed ones, and none. */
function bodyChange(operation: RestOperation): fc.Arbitrary<Change> {
  const malformed = fc.oneof(
    fc.json(),
    anyText,
    fc.constantFrom('{', '[[', '{"a":1,"a":2}', '{"__proto__":1}', '1e400', 'null'),
  );
  const forms = bodyForms(operation).map((form) => {
    const { kind, schema = {} } = form;
    const text = fc.oneof(validValues(schema), anyText).map(String);
    const values = {
      stream: fc.uint8Array({ maxLength: 200 }),
      text,
      json: weighted([6, validValues(schema)], [4, nearlyValidValues(schema)]),
    };
    return changeBy<unknown>(values[kind], (draft, value) => withBody(draft, form, value));
  });
  return weighted<Change>(
    [1, changeBy<unknown>(malformed, (draft, body) => ({ ...draft, body }))],
    [1, fc.constant<Change>((draft) => ({ ...draft, body: undefined }))],
    ...(forms.length > 0 ? [[8, fc.oneof(...forms)] as [number, fc.Arbitrary<Change>]] : []),
  );
}

/** Generates credentials: those of people, none, and malformed ones. */
const callerChange = (people: readonly Draft['as'][]): fc.Arbitrary<Change> =>
  changeBy(
    weighted<Draft['as']>(
      [12, fc.constantFrom(...(people.length === 0 ? [undefined] : people))],
      [1, fc.constant(undefined)],
      [1, headerText.map((text) => ({ headers: { authorization: `Bearer ${text}` } }))],
      [1, headerText.map((authorization) => ({ headers: { authorization } }))],
    ),
    (draft, as) => ({ ...draft, as }),
  );

/** Generates requests to an operation: sound ones with some changed parts, and now and then with another method, version or path. */
function requestsTo(service: TestService, operation: RestOperation, drafts: readonly Draft[]) {
  const { parameters } = operation.operation;
  const { version } = splitPath(operation.path) ?? {};
  const { mediaType } = service.app.core.names;
  const { versions } = service;
  const prefix = version !== undefined && versions.includes(version) ? prefixOf(version) : '';
  const accepts = [
    ...['*/*', 'application/json', mediaType, ...versions.map((version) => `${mediaType}; version=${version}`)],
    ...[`${mediaType};v=${UNKNOWN_VERSION}`, 'text/html', 'image/png;q=0, */*;q=0.1', '', '*', ';q=x', 'a/b c, "'],
  ];
  const hosts = [...versions, UNKNOWN_VERSION].map((version) => `v${version}.api.example.com`);
  const changes: fc.Arbitrary<Change>[] = [
    once(3, callerChange(Object.values(service.people))),
    // Few at a time, because most combinations are invalid.
    fc
      .subarray([...parameters], { maxLength: Math.min(2, parameters.length) })
      .chain((some) => fc.tuple(...some.map(parameterChange)))
      .map((all) => (draft) => all.reduce((changed, change) => change(changed), draft)),
    once(2, bodyChange(operation)),
    // An operation without a body need not declare 415.
    once(10, bodyForms(operation).length > 0 ? headerChange('content-type', MEDIA_TYPES) : unchanged),
    once(3, headerChange('accept', accepts)),
    once(5, headerChange('host', hosts)),
  ];
  const path = weighted<(path: string) => string>(
    [12, fc.constant((path) => path)],
    [2, fc.constant((path) => path.replace(prefix, ''))],
    [1, fc.constant((path) => path.replace(prefix, prefix && prefixOf(UNKNOWN_VERSION)))],
    [1, fc.constant((path) => path.replace(/(?=\?|$)/, '/'))],
  );
  const ownMethods = [operation.method, operation.method === 'GET' ? 'HEAD' : operation.method];
  const method = weighted([12, fc.constantFrom(...ownMethods)], [1, fc.constantFrom(...METHODS)]);
  // A declared name makes a parameter that is given twice.
  const queries = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const names = queries.length > 0 ? fc.oneof(unicodeText, fc.constantFrom(...queries)) : unicodeText;
  const further = weighted(
    [11, fc.constant('')],
    [1, fc.tuple(names, unicodeText).map((pair) => pair.map(encodeURIComponent).join('='))],
  );

  return fc
    .tuple(fc.constantFrom(...drafts), fc.tuple(...changes), method, path, further)
    .map(([sound, all, method, path, pair]) => {
      const { as, headers, body, ...address } = all.reduce((draft, change) => change(draft), sound);
      const url = path(addressOf(operation, address));
      const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      return {
        method,
        url: (pair && `${url}${url.includes('?') ? '&' : '?'}${pair}`) || url,
        headers: { host: 'localhost', ...type, ...as?.headers, ...headers },
        payload: isRaw ? body : JSON.stringify(body),
      };
    });
}

async function soundDrafts(service: TestService, options: ConformanceOptions, operation: RestOperation) {
  const forms = bodyForms(operation);
  const drafts: Draft[] = [];
  for (let at = 0; at < SOUND_REQUESTS; at++)
    drafts.push((await soundRequest(service, options, operation, {}, forms[at % forms.length])).draft);
  return drafts;
}

const settings = (_: unknown, { environment }: ConformanceOptions) => ({
  environment: { RATE_CEILING: '10000000', LOGIN_LIMIT: '1000000', ...environment },
  coverage: false,
});

/**
 * Sends generated requests. No answer may be 5xx or undeclared. The coverage does not count them, because it must not depend on
 * chance.
 */
export const drawnRequests = suite(async (t, service, options) => {
  const { runs = 300, seed = 1 } = options.draws ?? {};
  const { contract, app, log } = service;
  const operations = testedOperations(service, options);
  if (operations.length === 0) return;
  const arbitraries: fc.Arbitrary<RawRequest>[] = [];
  for (const operation of operations)
    arbitraries.push(requestsTo(service, operation, await soundDrafts(service, options, operation)));
  const statuses = new Map<number, number>();
  const agent = new Agent({ keepAlive: true });

  const property = fc.asyncProperty(fc.oneof(...arbitraries), async (request) => {
    const exchange = await sendRaw(service.url, request, agent);
    const { status } = exchange;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    // `breaches` knows the operations that may answer 501.
    const isExpected = status < 500 || status === 501 || options.mayFail?.(request, status) === true;
    const failure = isExpected ? [] : [`answered ${status}: ${log.at(-1)}`];
    const wrong = [...failure, ...contract.breaches(exchange, app.notWritten)];
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
  });

  await t.test(`${runs} generated requests with the seed ${seed}: declared answers only`, async (t) => {
    const result = await fc.check(property, { seed, numRuns: runs, endOnFailure: true });
    const reason = result.errorInstance instanceof Error ? result.errorInstance.message : '';
    t.ok(!result.failed, `${reason} ${fc.defaultReportMessage(result) ?? 'no counterexample'}`);
    t.equal(result.numRuns, runs, 'all requests were sent');
    const counts = JSON.stringify(Object.fromEntries([...statuses].sort()));
    const hasBoth = [...statuses.keys()].some((status) => status < 300) && statuses.has(400);
    t.ok(hasBoth, `some requests succeed, others fail: ${counts}`);
  });
  agent.destroy();
}, settings);
