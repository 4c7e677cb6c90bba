import {
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import type { Application } from '../application.js';
import type { Schema } from '../contract/document.js';
import { laidOpen } from '../contract/laid-open.js';
import type { Operation } from '../contract/openapi.js';
import { schemaOf } from '../contract/parameter-form.js';
import { isPlain, valueAt } from '../contract/references.js';
import { samplesOf, valueNextTo } from './bound-values.js';
import type { Cases, ConformanceOptions, Draft } from './conformance-options.js';
import {
  type Bound,
  isId,
  type SdlInput,
  SIDES,
  type Side,
  sdlBounds,
  sdlConstraint,
  sideName,
} from './coverage/bounds.js';
import { restObserver } from './coverage/observe-rest.js';
import { type RequestBounds, restElements } from './coverage/rest-elements.js';
import { askerOf, type Field, soundArguments } from './every-field.js';
import { withService } from './kit.js';
import { rootFields } from './matrix.js';
import type { Json } from './people.js';
import { answered, followed } from './permissions.js';
import { sampleOf } from './sample-arguments.js';
import type { TestService } from './service.js';
import { addressOf, asked, soundRequest, textOf, triedIn } from './sound-request.js';

/**
 * Each bound that the contracts put on what a request may send, from both sides: a sound request with the last value that is
 * within is not refused as unreadable, and one with the next value, which is beyond, is refused. What the contract excepts from
 * its coverage is not tried.
 */
export async function everyBound<Own extends object>(
  t: Cases,
  application: Application<Own>,
  team: ConformanceOptions<Own> = {},
): Promise<void> {
  await withService(t, application, team, {}, async (service, options) => {
    const tried = new Set<string>();
    const sent: Sent = (t, key, side, status, told) => {
      tried.add(key);
      // Beyond, and nowhere else, a request is refused; within, only the rules of the service may have something against it.
      const isRight = side === 'beyond' ? status === 400 || status === 422 : status < 500 && status !== 400;
      t.ok(isRight, `${key}: ${status} ${told}`);
    };
    await t.test('REST: each bound, from both sides', (t) => ofRest(t, service, options, sent));
    await t.test('GraphQL: each bound, from both sides', (t) => ofGraphql(t, service, options, sent));
    const vain = Object.keys(options.bounds ?? {}).filter((key) => options.only === undefined && !tried.has(key));
    for (const key of vain) t.ok(false, `bounds: the contracts demand no ${key}`);
  });
}

/** Whether a contract says of something that no test need see it. */
function exceptedIn({ contract }: TestService): (...keys: string[]) => boolean {
  const { except = {} } = (contract.source['x-coverage'] ?? {}) as { except?: object };
  return (...keys) => keys.some((key) => key in except);
}

/** What a team says of the value on a side of a bound. */
const stated = ({ bounds = {} }: ConformanceOptions, key: string) => bounds[key];

/** Looks at the answer to a request with a value on a side of a bound. */
type Sent = (t: Cases, key: string, side: Side, status: number, told: string) => void;

// REST ----------------------------------------------------------------------------------------------------------------

/** The steps of a pointer to a part: a member, an item, a value of a map. An alternative is no step. */
const stepsOf = (pointer: string): string[] =>
  [...pointer.replaceAll(/<[^>]*>/g, '').matchAll(/\/[^/[{]+|\[\]|{}/g)].map(([step]) => step);

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
function placeOf(operation: Operation, whole: string) {
  const [place = '', name = ''] = whole.split(' ');
  const parameter = operation.operation.parameters.find((one) => one.in === place && one.name === name);
  if (parameter === undefined) {
    const [content] = Object.values(operation.operation.requestBody?.content ?? {});
    const put = (draft: Draft, value: unknown): Draft => ({ ...draft, body: value as Json });
    return { schema: content?.schema ?? {}, valueIn: ({ body }: Draft): unknown => body, put };
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

async function ofRest(t: Cases, service: TestService, options: ConformanceOptions, sent: Sent) {
  const { source } = service.contract;
  const document = source as unknown as Schema;
  const isExcepted = exceptedIn(service);
  const observe = restObserver(source);
  const operations = triedIn(service, options);
  const largest = service.app.initialConfig.bodyLimit ?? 0;

  const shows = (operation: Operation, draft: Draft, key: string): boolean => {
    const [path = '', query = ''] = addressOf(operation, draft).split('?');
    const type = draft.body === undefined ? {} : { 'content-type': 'application/json' };
    const headers = new Headers({ ...type, ...draft.headers });
    const request = { query, headers, body: typeof draft.body === 'string' ? draft.body : JSON.stringify(draft.body) };
    const exchange = { method: operation.method, path, request, status: 204, headers: new Headers(), text: '' };
    return observe(operation, exchange).has(key);
  };

  async function send(operation: Operation, part: RequestBounds, bound: Bound, side: Side) {
    const { draft, about } = await soundRequest(service, options, operation);
    const { schema, valueIn, put } = placeOf(operation, part.whole);
    const steps = stepsOf(part.pointer);
    const own = {
      schema: laidOpen((valueAt(source, part.at) ?? {}) as Schema, document),
      root: document,
    };
    const nextTo = (one: Side) => (sound: unknown) => valueNextTo(bound, one, { ...own, sound, number: about.number });
    const said = await stated(options, sideName(part.key, bound, side))?.(about);
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

  for (const part of [...restElements(source).bounds.values()].flat()) {
    const operation = operations.find(({ operationId }) => operationId === part.owner);
    if (!operation || service.app.notWritten.includes(operation.operationId)) continue;
    for (const bound of part.bounds) {
      for (const side of SIDES) {
        const key = sideName(part.key, bound, side);
        // What is larger than any body cannot be sent: that is for the contract to except.
        if (isExcepted(key, part.within) || (!bound.keyword.endsWith('imum') && bound[side] > largest)) continue;
        const answer = await send(operation, part, bound, side);
        if (answer !== undefined) sent(t, key, side, answer.status, answer.text);
      }
    }
  }
}

// GraphQL -------------------------------------------------------------------------------------------------------------

/** Where an input of the schema can be given something. */
interface Site {
  /** Of its element. */
  key: string;
  /** Of the root field. */
  name: string;
  /** From the root field to the one that takes it. */
  fields: readonly [Field, ...Field[]];
  /** The argument, and the input fields to it. */
  inputs: readonly [SdlInput, ...SdlInput[]];
}

/** An argument, or an input field, with those of its type, at any depth. */
function* inputsIn(key: string, inputs: Site['inputs']): Generator<Pick<Site, 'key' | 'inputs'>> {
  yield { key, inputs };
  const [last] = inputs.slice(-1) as [SdlInput];
  const type = getNamedType(last.type);
  if (!isInputObjectType(type) || inputs.slice(0, -1).some((one) => getNamedType(one.type) === type)) return;
  for (const field of Object.values(type.getFields()))
    yield* inputsIn(`${type.name}.${field.name}`, [...inputs, field]);
}

/** The fields that a root field leads to, itself too, each by the shortest way on which nothing is required. */
function* fieldsFrom(owner: string, root: Field): Generator<[owner: string, fields: Site['fields']]> {
  const known = new Set<unknown>();
  const ways: [string, Site['fields']][] = [[owner, [root]]];
  for (const [type, fields] of ways) {
    yield [type, fields];
    const last = fields.at(-1) as Field;
    const inner = getNamedType(last.type);
    if (known.has(inner) || !isObjectType(inner) || (fields.length > 1 && last.args.some(isRequiredArgument))) continue;
    known.add(inner);
    for (const field of Object.values(inner.getFields())) ways.push([inner.name, [...fields, field]]);
  }
}

/** Where each input can be given something: once, by a root field of which it is said what it is about, and near it. */
function sitesOf(service: TestService, { fields: said = {}, only }: ConformanceOptions): Site[] {
  const all = rootFields(service.contract.schema)
    .filter(([name]) => !service.app.notWritten.includes(name) && (only?.includes(name) ?? true))
    .flatMap(([name, root]) =>
      [...fieldsFrom(name.split('.')[0] ?? '', root)].flatMap(([owner, fields]) => {
        const { name: field, args } = fields.at(-1) as Field;
        const inputs = args.flatMap((arg) => [...inputsIn(`${owner}.${field}(${arg.name})`, [arg])]);
        return inputs.map((one): Site => ({ ...one, name, fields }));
      }),
    );
  const far = ({ name, fields }: Site) => fields.length + (name in said ? 0 : all.length);
  const nearest = all.sort((one, other) => far(other) - far(one));
  return [...new Map(nearest.map((site) => [site.key, site])).values()];
}

/** What an input is given, with a value somewhere in it. */
function withValue([input, ...others]: SdlInput[], present: Json, value: unknown): unknown {
  const { type, astNode } = input as SdlInput;
  const [item] = [present].flat();
  const [next] = others;
  const whole = item ?? (next && sampleOf({ type: getNamedType(type), astNode }));
  const inner = next ? { ...whole, [next.name]: withValue(others, whole[next.name], value) } : value;
  return isListType(getNullableType(type)) ? [inner] : inner;
}

/** A document that asks for the last of some fields, each in the one before. Its variables are told apart by how deep they are. */
function documentFor(operation: string, fields: Site['fields'], given: readonly Json[]) {
  const variables: Record<string, unknown> = {};
  const declared: string[] = [];
  const texts = fields.map(({ name, args }, depth) => {
    const passed = args.flatMap((arg) => {
      const value = given[depth]?.[arg.name];
      if (value === undefined) return [];
      const variable = depth === 0 ? arg.name : `${arg.name}${depth}`;
      variables[variable] = value;
      declared.push(`$${variable}: ${arg.type}`);
      return [`${arg.name}: $${variable}`];
    });
    return name + (passed.length > 0 ? `(${passed.join(', ')})` : '');
  });
  const last = getNamedType((fields.at(-1) as Field).type);
  const innermost = 'getFields' in last || 'getTypes' in last ? ' { __typename }' : '';
  const selection = texts.reduceRight((inner, text) => `{ ${text} ${inner} }`, innermost);
  return { document: `${operation}(${declared.join(', ')}) ${selection}`, variables };
}

async function ofGraphql(t: Cases, service: TestService, options: ConformanceOptions, sent: Sent) {
  const { schema } = service.contract;
  const isExcepted = (input: SdlInput) => input.astNode?.directives?.some(({ name }) => name.value === 'coverage');
  const isListed = exceptedIn(service);
  for (const { key: of, name, fields, inputs } of sitesOf(service, options)) {
    const input = inputs.at(-1) as SdlInput;
    const [root] = fields;
    const person = askerOf(service, name, root);
    const bounds = person === undefined || isExcepted(input) ? [] : sdlBounds(schema, input);
    for (const bound of bounds) {
      for (const side of SIDES) {
        const key = sideName(of, bound, side);
        if (isListed(key) || person === undefined) continue;
        const about = asked(service, person, person);
        const said = await stated(options, key)?.(about);
        const found = { schema: sdlConstraint(schema, input), root: {}, sound: undefined, number: about.number };
        const value = said ?? valueNextTo(bound, side, found);
        if (value === undefined) continue;
        const given: Json[] = [await soundArguments(service, options, name, root, person)];
        const last = fields.length - 1;
        given[last] = { ...given[last] };
        const [arg] = inputs;
        given[last][arg.name] = withValue([...inputs], given[last][arg.name], isId(input) ? String(value) : value);
        const [operation = ''] = name.toLowerCase().split('.');
        const request = documentFor(operation, fields, given);
        const ask = operation === 'subscription' ? followed : answered;
        const { codes } = await ask({ service, options, name, ...request, headers: person.headers, about });
        const status = Math.max(200, ...codes.map((code) => service.application.errors[code]?.status ?? 500));
        sent(t, key, side, status, String(codes));
      }
    }
  }
}
