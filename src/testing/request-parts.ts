import type { Schema } from '@accord-api/platform/internals/contract/document';
import type { Operation } from '@accord-api/platform/internals/contract/openapi';
import { schemaOf } from '@accord-api/platform/internals/contract/parameter-form';
import { isPlain, valueAt } from '@accord-api/platform/internals/contract/references';
import { type BodyForm, bodyForms } from '@accord-api/platform/internals/rest/request-body';
import type { RestAnswer } from './client.js';
import type { Asked, Cases, ConformanceOptions, Draft } from './conformance-options.js';
import { type Side, schemaAt, sideName } from './coverage/bounds.js';
import { type RequestPart, restContract } from './coverage/rest.js';
import type { TestService } from './service.js';
import { addressOf, bodyIn, sentAs, soundRequest, textOf, triedIn } from './sound-request.js';
import { type BoundTried, exceptedIn, samplesOf, valueNextTo } from './values.js';

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

/** The operations that are written, with the elements of their requests. */
const elementsOf = (service: TestService, options: ConformanceOptions) => {
  const written = triedIn(service, options).filter((one) => !service.app.notWritten.includes(one.operationId));
  const byId = new Map(written.map((operation) => [operation.operationId, operation]));
  return [...restContract(service.contract.source).elements()].flatMap((element) => {
    const operation = byId.get(element.owner);
    return operation && element.part ? [{ operation, element, part: element.part }] : [];
  });
};

const send = (service: TestService, operation: Operation, { as, headers, body, ...address }: Draft) =>
  service.rest(operation.method, addressOf(operation, address), { as, headers, body });

/** A value for a member that is absent, or that has the other value; undefined where the member stays what it is. */
function otherValue(schema: Schema, present: unknown, { number }: Asked, root: Schema): unknown {
  if (typeof present === 'boolean') return !present;
  if (present !== undefined) return undefined;
  // Nobody has this one yet.
  if (schema['format'] === 'email') return `member${number}@example.com`;
  const [example] = (schema['examples'] as unknown[] | undefined) ?? [];
  return schema['example'] ?? example ?? schema.const ?? schema['default'] ?? samplesOf(schema, root, 1)[0];
}

/**
 * Sends each member that a JSON body may have and a sound one has not, and each other value of a closed list, in a request of its own:
 * the one before may have used up what it was about.
 */
export async function everyMember(
  service: TestService,
  options: ConformanceOptions,
  sent: (operation: Operation, body: unknown, answer: RestAnswer) => void,
): Promise<void> {
  const { source } = service.contract;
  for (const { operation, element, part } of elementsOf(service, options)) {
    const form = bodyForms(operation).find(({ type }) => type === part.media);
    const isMember = element.kind === 'requestMember';
    if (form?.kind !== 'json' || !(isMember || element.kind === 'requestValue')) continue;
    const { draft, about } = await soundRequest(service, options, operation, {}, form);
    // Where the body of a further media type is not known, its members are not either.
    if (draft.body === undefined && form !== bodyForms(operation)[0]) continue;
    const steps = stepsOf(part.pointer.split(' = ')[0] ?? '');
    const schema = schemaAt(source, part.schema);
    const body = changed(draft.body ?? {}, steps, (present) => {
      if (isMember) return otherValue(schema, present, about, source as unknown as Schema);
      const value = valueAt(source, part.schema);
      return value === present ? undefined : value;
    });
    if (body === undefined) continue;
    const headers = { ...draft.headers, 'content-type': sentAs(form.type) };
    sent(operation, body, await send(service, operation, { ...draft, headers, body: body as Draft['body'] }));
  }
}

/** Tries the bounds of bodies and parameters. */
export async function everyRestBound(t: Cases, service: TestService, options: ConformanceOptions, tried: BoundTried) {
  const { source } = service.contract;
  const { observe } = restContract(source);
  const isExcepted = exceptedIn(service.contract);
  const largest = service.app.initialConfig.bodyLimit ?? 0;

  const shows = (operation: Operation, draft: Draft, key: string): boolean => {
    const [path = '', query = ''] = addressOf(operation, draft).split('?');
    const body = typeof draft.body === 'string' ? draft.body : JSON.stringify(draft.body);
    const request = { query, headers: new Headers(draft.headers), body };
    const exchange = { method: operation.method, path, request, status: 204, headers: new Headers(), text: '' };
    return observe(operation, exchange).has(key);
  };

  async function answerTo(operation: Operation, key: string, part: Required<RequestPart>) {
    const { bound, side } = part;
    const form = bodyForms(operation).find(({ type }) => type === part.media);
    const { draft, about } = await soundRequest(service, options, operation, {}, form);
    const { schema, valueIn, put } = placeOf(operation, part.whole, form);
    const steps = stepsOf(part.pointer);
    const own = { schema: schemaAt(source, part.schema), root: source as unknown as Schema };
    const nextTo = (one: Side) => (sound: unknown) => valueNextTo(bound, one, { ...own, sound, number: about.number });
    const said = await options.bounds?.[key]?.(about);
    const within = `${operation.operationId} ${sideName(`${part.whole} ${part.pointer.trimStart()}`.trim(), bound, 'at')}`;
    for (const whole of wholes(valueIn(draft), schema, steps)) {
      const wanted = changed(whole, steps, said === undefined ? nextTo(side) : () => said);
      // Whether this whole has the part, only a value that is within can tell.
      const sound = put(draft, changed(whole, steps, nextTo('at')));
      if (wanted !== undefined && (said !== undefined || shows(operation, sound, within)))
        return send(service, operation, put(draft, wanted));
    }
    return undefined;
  }

  const done = new Set<string>();
  for (const { operation, element, part } of elementsOf(service, options)) {
    const { bound, side } = part;
    // Of several media types that have the same bound, one does.
    if (bound === undefined || side === undefined || done.has(element.key)) continue;
    // What is larger than any body cannot be sent: the contract has to except it.
    const isTooLarge = !bound.keyword.endsWith('imum') && bound[side] > largest;
    if (isTooLarge || isExcepted(element.key, element.within ?? '')) continue;
    const answer = await answerTo(operation, element.key, part as Required<RequestPart>);
    if (answer === undefined) continue;
    done.add(element.key);
    tried(t, element.key, side, answer.status, answer.text);
  }
}
