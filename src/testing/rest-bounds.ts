import type { Schema } from '@accord-api/platform/internals/contract/document';
import type { Operation } from '@accord-api/platform/internals/contract/openapi';
import { schemaOf } from '@accord-api/platform/internals/contract/parameter-form';
import { isPlain } from '@accord-api/platform/internals/contract/references';
import { type BodyForm, bodyForms } from '@accord-api/platform/internals/rest/request-body';
import { type BoundTried, exceptedIn, samplesOf, valueNextTo } from './bound-values.js';
import type { Cases, ConformanceOptions, Draft } from './conformance-options.js';
import { type Bound, SIDES, type Side, sideName } from './coverage/bounds.js';
import { restObserver } from './coverage/observe-rest.js';
import { type RequestBounds, restElements, schemaAt } from './coverage/rest-elements.js';
import type { TestService } from './service.js';
import { addressOf, bodyIn, sentAs, soundRequest, textOf, triedIn } from './sound-request.js';

/** The steps of a pointer to a part: a member, an item, a value of a map. An alternative is no step. */
const stepsOf = (pointer: string): string[] =>
  [...pointer.matchAll(/<[^<>]*>|\/[^/[{<]+|\[\]|{}/g)].map(([step]) => step).filter((step) => !step.startsWith('<'));

/** A value with another one at a part of it; undefined where that part is in nothing. */
function changed(value: unknown, [step, ...others]: string[], change: (present: unknown) => unknown): unknown {
  if (step === undefined) return change(value);
  if (step === '[]') {
    if (!Array.isArray(value)) return undefined;
    const item = changed(value[0], others, change);
    return item === undefined ? undefined : [item, ...value.slice(1)];
  }
  if (!isPlain(value)) return undefined;
  const name = step === '{}' ? (Object.keys(value)[0] ?? 'member') : step.slice(1);
  const member = changed(value[name], others, change);
  return member === undefined ? undefined : { ...value, [name]: member };
}

/** How often a whole is drawn, until one has the part that is looked for. */
const DRAWN = 50;

/** What may hold a part: what is sound; that, with what it lacks on the way; and anything else that the contract takes. */
function* wholes(sound: unknown, schema: Schema, [first = '']: string[]): Generator<unknown> {
  if (sound !== undefined) yield sound;
  const name = first.slice(1);
  for (const drawn of samplesOf(schema, schema, DRAWN)) {
    if (isPlain(sound) && isPlain(drawn) && name in drawn) yield { ...sound, [name]: drawn[name] };
    yield drawn;
  }
}

/** Where the whole of a part stands in a draft: what there is, and what to put there. */
function placeOf(operation: Operation, whole: string, form: BodyForm | undefined) {
  const [place = '', name = ''] = whole.split(' ');
  const parameter = operation.operation.parameters.find((one) => one.in === place && one.name === name);
  if (parameter === undefined) {
    const { type, schema } = form as BodyForm;
    const put = (draft: Draft, value: unknown): Draft => ({
      ...draft,
      headers: { ...draft.headers, 'content-type': sentAs(type) },
      body: bodyIn(form, value),
    });
    return { schema: schema ?? {}, valueIn: ({ body }: Draft): unknown => body, put };
  }
  const put = (draft: Draft, value: unknown): Draft => {
    const header = (named: string, text: string) => ({ ...draft, headers: { ...draft.headers, [named]: text } });
    if (place === 'query') return { ...draft, query: { ...draft.query, [name]: value } };
    const text = textOf(parameter, value);
    if (place === 'path') return { ...draft, path: { ...draft.path, [name]: text } };
    return place === 'header'
      ? header(name.toLowerCase(), text)
      : header('cookie', `${name}=${encodeURIComponent(text)}`);
  };
  return { schema: schemaOf(parameter), valueIn: ({ query }: Draft): unknown => query[name], put };
}

/** Tries the bounds of bodies and parameters. */
export async function everyRestBound(t: Cases, service: TestService, options: ConformanceOptions, sent: BoundTried) {
  const { source } = service.contract;
  const isExcepted = exceptedIn(service.contract);
  const observe = restObserver(source);
  const operations = triedIn(service, options);
  const largest = service.app.initialConfig.bodyLimit ?? 0;

  const shows = (operation: Operation, draft: Draft, key: string): boolean => {
    const [path = '', query = ''] = addressOf(operation, draft).split('?');
    const request = {
      query,
      headers: new Headers(draft.headers),
      body: typeof draft.body === 'string' ? draft.body : JSON.stringify(draft.body),
    };
    const exchange = { method: operation.method, path, request, status: 204, headers: new Headers(), text: '' };
    return observe(operation, exchange).has(key);
  };

  async function send(operation: Operation, part: RequestBounds, bound: Bound, side: Side) {
    const form = bodyForms(operation).find(({ type }) => type === part.media);
    const { draft, about } = await soundRequest(service, options, operation, {}, form);
    const { schema, valueIn, put } = placeOf(operation, part.whole, form);
    const steps = stepsOf(part.pointer);
    const own = { schema: schemaAt(source, part.at), root: source as unknown as Schema };
    const nextTo = (one: Side) => (sound: unknown) => valueNextTo(bound, one, { ...own, sound, number: about.number });
    const said = await options.bounds?.[sideName(part.key, bound, side)]?.(about);
    const value = said === undefined ? nextTo(side) : () => said;
    for (const whole of wholes(valueIn(draft), schema, steps)) {
      const wanted = changed(whole, steps, value);
      // Whether there is the part in this whole, only a value that is within can tell.
      const within = put(draft, changed(whole, steps, nextTo('at')));
      if (wanted === undefined || (said === undefined && !shows(operation, within, sideName(part.key, bound, 'at'))))
        continue;
      const { as, headers, body, ...address } = put(draft, wanted);
      return service.rest(operation.method, addressOf(operation, address), { as, headers, body });
    }
    return undefined;
  }

  const tried = new Set<string>();
  for (const part of [...restElements(source).bounds.values()].flat()) {
    const operation = operations.find(({ operationId }) => operationId === part.owner);
    if (!operation || service.app.notWritten.includes(operation.operationId)) continue;
    for (const bound of part.bounds) {
      for (const side of SIDES) {
        const key = sideName(part.key, bound, side);
        // Of several media types that have the same bound, one does.
        if (tried.has(key)) continue;
        // What is larger than any body cannot be sent: that is for the contract to except.
        if (isExcepted(key, part.within) || (!bound.keyword.endsWith('imum') && bound[side] > largest)) continue;
        const answer = await send(operation, part, bound, side);
        if (answer === undefined) continue;
        tried.add(key);
        sent(t, key, side, answer.status, answer.text);
      }
    }
  }
}
