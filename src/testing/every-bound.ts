import type { Application } from '@accord-api/platform/internals/core/application';
import type { InputValue } from '@accord-api/platform/internals/core/graphql/arguments';
import {
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import type { Json } from './client.js';
import { rowsOfField } from './contract.js';
import {
  type Bound,
  isId,
  namesBound,
  SIDES,
  type Side,
  sdlBounds,
  sdlConstraint,
  sideName,
} from './coverage/schema-parts.js';
import { sendBounds } from './every-operation.js';
import {
  documentFor,
  type Field,
  type FieldAnswer,
  queryField,
  requiredArguments,
  type Step,
  type Steps,
  sampleOf,
  soundArguments,
  testedFields,
} from './graphql-fields.js';
import { type ConformanceOptions, suite, type TestRunner } from './kit.js';
import { oneOfEachRole, type TestService } from './service.js';
import { callerOf, requestContext } from './sound-request.js';
import { boundaryValue } from './values.js';

/** Adds an account with the least id, which a test may delete, and which sends no requests. */
const settings = (application: Application) => {
  const people = oneOfEachRole(application);
  const [first] = Object.values(people);
  return { people: first === undefined ? people : { first, ...people } };
};

/**
 * Tests that the service accepts the last value within each bound and rejects the next one. Keys under `x-coverage.except` are
 * skipped.
 */
export const everyBound = suite(async (t, service, options) => {
  const tested = new Set<string>();
  const { except = {} } = (service.contract.source['x-coverage'] ?? {}) as { except?: object };
  const isExcepted = (...keys: string[]) => keys.some((key) => key in except);
  const check = (t: TestRunner) => (key: string, side: Side, status: number, answer: string) => {
    tested.add(key);
    // The rules of the application may reject a value within the bound.
    const isRight = side === 'beyond' ? status === 400 || status === 422 : status < 500 && status !== 400;
    t.ok(isRight, `${key}: ${status} ${answer}`);
  };
  await t.test('GraphQL: both sides of each bound', (t) => graphqlBounds(service, options, isExcepted, check(t)));
  await t.test('REST: both sides of each bound', (t) => sendBounds(service, options, isExcepted, check(t)));
  const unknown = Object.keys(options.bounds ?? {}).filter((key) => options.only === undefined && !tested.has(key));
  for (const key of unknown) t.ok(false, `bounds: the contracts demand no ${key}`);
}, settings);

/** A place in a document that can pass a value to an input. */
interface Site {
  /** The key of the input's element. */
  key: string;
  /** The name of the root field. */
  name: string;
  /** The fields from the root field to the one with the argument. */
  steps: Steps;
  /** The argument, and the input fields down to the input. */
  inputs: readonly [InputValue, ...InputValue[]];
}

/** Returns true if the steps depend on the type of an object, which only the answer shows. */
const isConditional = (steps: Steps): boolean => steps.some(({ on }) => on !== undefined);

/** Lists an input and the input fields within it. */
function* inputsIn(key: string, inputs: Site['inputs']): Generator<Pick<Site, 'key' | 'inputs'>> {
  yield { key, inputs };
  const type = getNamedType((inputs.at(-1) as InputValue).type);
  if (!isInputObjectType(type) || inputs.slice(0, -1).some((input) => getNamedType(input.type) === type)) return;
  for (const field of Object.values(type.getFields()))
    yield* inputsIn(`${type.name}.${field.name}`, [...inputs, field]);
}

/** Lists the fields below a root field, breadth first, without fields behind required arguments. */
function* fieldsFrom(schema: GraphQLSchema, name: string, root: Field): Generator<[owner: string, steps: Steps]> {
  const known = new Set<string>();
  const queue: [string, Steps][] = [[name.split('.')[0] ?? '', [{ field: root }]]];
  for (const [type, steps] of queue) {
    yield [type, steps];
    const { field } = steps.at(-1) as Step;
    if (steps.length > 1 && field.args.some(isRequiredArgument)) continue;
    const named = getNamedType(field.type);
    const members: readonly GraphQLObjectType[] = isAbstractType(named) ? schema.getPossibleTypes(named) : [];
    for (const owner of [...(isObjectType(named) || isInterfaceType(named) ? [named] : []), ...members]) {
      const on = owner === named ? undefined : (owner as GraphQLObjectType);
      // An object that always exists is also visited by a longer way.
      const id = `${owner.name} ${isConditional([...steps, { field, on }])}`;
      if (known.has(id)) continue;
      known.add(id);
      for (const next of Object.values(owner.getFields())) queue.push([owner.name, [...steps, { field: next, on }]]);
    }
  }
}

/** Lists the sites of each input: unconditional ones, fields with arguments from the options, and short ways first. */
function sitesOf(service: TestService, options: ConformanceOptions): Map<string, Site[]> {
  const { schema } = service.contract;
  const all = testedFields(service, options).flatMap(([name, root]) =>
    [...fieldsFrom(schema, name, root)].flatMap(([owner, steps]) => {
      const { name: field, args } = (steps.at(-1) as Step).field;
      const inputs = args.flatMap((arg) => [...inputsIn(`${owner}.${field}(${arg.name})`, [arg])]);
      return inputs.map((input): Site => ({ ...input, name, steps }));
    }),
  );
  const rank = ({ name, steps }: Site) =>
    steps.length + (name in (options.fields ?? {}) ? 0 : 1000) + (isConditional(steps) ? 2000 : 0);
  const sites = new Map<string, Site[]>();
  for (const site of all.sort((a, b) => rank(a) - rank(b))) sites.set(site.key, [...(sites.get(site.key) ?? []), site]);
  return sites;
}

/** Puts a value into the present value of an argument, at the last of the inputs. */
function withInput(schema: GraphQLSchema, inputs: readonly InputValue[], present: Json, value: unknown): unknown {
  const [input, next] = inputs as Site['inputs'];
  const [item] = [present].flat();
  const whole = item ?? (next && sampleOf(schema, { ...input, type: getNamedType(input.type) } as InputValue));
  const inner = next ? { ...whole, [next.name]: withInput(schema, inputs.slice(1), whole[next.name], value) } : value;
  return isListType(getNullableType(input.type)) ? [inner] : inner;
}

/** Returns true if the answer contains an object of each type on the way, so that the last field ran. */
function isReached(data: Json, [root, ...others]: Steps): boolean {
  let objects: Json[] = [data?.[root.field.name]].flat(Number.POSITIVE_INFINITY);
  for (const { field, on } of others) {
    const parents = objects.filter((object) => object != null && (on === undefined || object.__typename === on.name));
    if (parents.length === 0) return false;
    objects = parents.flatMap((parent) => [parent[field.name]].flat(Number.POSITIVE_INFINITY));
  }
  return true;
}

/** Returns the key of an argument's bound, also as the bound of the interfaces of its type. */
function withInterfaces(schema: GraphQLSchema, key: string): string[] {
  const [, owner = '', field = ''] = /^(\w+)\.(\w+)/.exec(key) ?? [];
  const type = schema.getType(owner);
  const interfaces = isObjectType(type) ? type.getInterfaces().filter((type) => field in type.getFields()) : [];
  return [key, ...interfaces.map(({ name }) => key.replace(owner, name))];
}

async function graphqlBounds(
  service: TestService,
  options: ConformanceOptions,
  isExcepted: (key: string) => boolean,
  onAnswer: (key: string, side: Side, status: number, codes: string) => void,
): Promise<void> {
  const { schema } = service.contract;

  /** Returns the answer; undefined if the field did not run, and `none` without a value. */
  async function answerOf({ name, steps, inputs }: Site, bound: Bound, side: Side, key: string) {
    const input = inputs.at(-1) as InputValue;
    const [{ field: root }, ...others] = steps;
    const person = callerOf(service, rowsOfField(schema, name, root).slice(0, 1));
    if (person === undefined) return undefined;
    const context = requestContext(service, person, person);
    const part = { schema: sdlConstraint(schema, input), number: context.number };
    const value = (await options.bounds?.[key]?.(context)) ?? boundaryValue(bound, side, part);
    if (value === undefined) return 'none';
    const ofRoot = await soundArguments(options, name, root, context);
    const given: Json[] = [ofRoot, ...others.map(({ field }) => requiredArguments(schema, field))];
    const last = given[steps.length - 1];
    const { name: argument } = inputs[0];
    last[argument] = withInput(schema, inputs, last[argument], isId(input) ? String(value) : value);
    const request = documentFor(name, steps, given);
    const answer = await queryField({ service, options, name, ...request, headers: person.headers, context });
    return answer.codes.length > 0 || !isConditional(steps) || isReached(answer.data, steps) ? answer : undefined;
  }
  /** Returns true for a value that the service accepted, or rejected because of this bound. */
  const isShown = ({ errors }: FieldAnswer, inputs: Site['inputs'], bound: Bound, side: Side): boolean => {
    if (side === 'at') return errors.length === 0;
    const input = inputs.at(-1) as InputValue;
    const at = inputs.map(({ name, type }) => `/${name}${isListType(getNullableType(type)) ? '/0' : ''}`).join('');
    const issues = errors.flatMap(({ extensions }) => extensions.errors ?? []);
    return issues.some(({ pointer, detail }) => pointer === at && (isId(input) || namesBound(bound, detail)));
  };

  for (const [owner, sites] of sitesOf(service, options)) {
    const input = sites[0]?.inputs.at(-1) as InputValue;
    if (input.astNode?.directives?.some(({ name }) => name.value === 'coverage')) continue;
    for (const bound of sdlBounds(schema, input)) {
      for (const side of SIDES) {
        const key = sideName(owner, bound, side);
        if (isExcepted(key)) continue;
        // If the field runs at no site, the coverage reports the bound as missing.
        for (const site of sites) {
          const answer = await answerOf(site, bound, side, key);
          if (answer === 'none') break;
          if (answer === undefined) continue;
          const statuses = answer.codes.map((code) => service.application.errors[code]?.status ?? 500);
          onAnswer(key, side, Math.max(200, ...statuses), String(answer.codes));
          if (isShown(answer, site.inputs, bound, side)) service.observe(withInterfaces(schema, key));
          break;
        }
      }
    }
  }
}
