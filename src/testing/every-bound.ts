import type { Application } from '@accord-api/platform/internals/application';
import { rolesOf } from '@accord-api/platform/internals/calls/access';
import type { InputValue } from '@accord-api/platform/internals/graphql/constraints';
import {
  type GraphQLInterfaceType,
  type GraphQLNamedType,
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
import type { Cases, ConformanceOptions } from './conformance-options.js';
import { type Bound, isId, SIDES, type Side, sdlBounds, sdlConstraint, sideName } from './coverage/bounds.js';
import {
  askerOf,
  askField,
  type Field,
  requestFor,
  requiredArguments,
  type Step,
  type Steps,
  sampleOf,
  soundArguments,
} from './graphql-fields.js';
import { withService } from './kit.js';
import { rootFields } from './matrix.js';
import type { Json } from './people.js';
import { everyRestBound } from './request-parts.js';
import { oneOfEachRole, type TestService } from './service.js';
import { asked } from './sound-request.js';
import { type BoundTried, exceptedIn, valueNextTo } from './values.js';

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
  // The least id is that of somebody who asks nothing.
  const people = { first: [...rolesOf(application.policy)][0] as string, ...oneOfEachRole(application) };
  await withService(t, application, team, { people }, async (service, options) => {
    const tried = new Set<string>();
    const sent: BoundTried = (t, key, side, status, told) => {
      tried.add(key);
      // Beyond, and nowhere else, a request is refused; within, only the rules of the service may have something against it.
      const isRight = side === 'beyond' ? status === 400 || status === 422 : status < 500 && status !== 400;
      t.ok(isRight, `${key}: ${status} ${told}`);
    };
    // REST comes last, for it deletes what has the least id.
    await t.test('GraphQL: each bound, from both sides', (t) => everyGraphqlBound(t, service, options, sent));
    await t.test('REST: each bound, from both sides', (t) => everyRestBound(t, service, options, sent));
    const vain = Object.keys(options.bounds ?? {}).filter((key) => options.only === undefined && !tried.has(key));
    for (const key of vain) t.ok(false, `bounds: the contracts demand no ${key}`);
  });
}

/** Where an input of the schema can be given something. */
interface Site {
  /** Of its element. */
  key: string;
  /** Of the root field. */
  name: string;
  /** From the root field to the one that takes it. */
  steps: Steps;
  /** The argument, and the input fields to it. */
  inputs: readonly [InputValue, ...InputValue[]];
}

/** Whether what the root field gives may be of a type that does not have the last one. */
const isNarrowed = (steps: Steps): boolean => steps.some(({ on }) => on !== undefined);

/** An argument, or an input field, with those of its type, at any depth. */
function* inputsIn(key: string, inputs: Site['inputs']): Generator<Pick<Site, 'key' | 'inputs'>> {
  yield { key, inputs };
  const [last] = inputs.slice(-1) as [InputValue];
  const type = getNamedType(last.type);
  if (!isInputObjectType(type) || inputs.slice(0, -1).some((one) => getNamedType(one.type) === type)) return;
  for (const field of Object.values(type.getFields()))
    yield* inputsIn(`${type.name}.${field.name}`, [...inputs, field]);
}

type Owner = GraphQLObjectType | GraphQLInterfaceType;

/** The types of which fields can be asked of what has a type: itself, and what it may be. */
function* ownersIn(schema: GraphQLSchema, type: GraphQLNamedType): Generator<[owner: Owner, on?: GraphQLObjectType]> {
  if (isObjectType(type) || isInterfaceType(type)) yield [type];
  if (isAbstractType(type)) for (const member of schema.getPossibleTypes(type)) yield [member, member];
}

/** The fields that a root field leads to, itself too, each by the shortest way on which nothing is required. */
function* fieldsFrom(schema: GraphQLSchema, name: string, root: Field): Generator<[owner: string, steps: Steps]> {
  const known = new Set<string>();
  const ways: [string, Steps][] = [[name.split('.')[0] ?? '', [{ field: root }]]];
  for (const [type, steps] of ways) {
    yield [type, steps];
    const { field: last } = steps.at(-1) as Step;
    if (steps.length > 1 && last.args.some(isRequiredArgument)) continue;
    for (const [owner, on] of ownersIn(schema, getNamedType(last.type))) {
      // What is surely there is asked by a longer way, too.
      const id = `${owner.name} ${isNarrowed([...steps, { field: last, on }])}`;
      if (known.has(id)) continue;
      known.add(id);
      for (const field of Object.values(owner.getFields())) ways.push([owner.name, [...steps, { field, on }]]);
    }
  }
}

/** Where each input can be given something: by root fields of which it is said what they are about, and near it, first. */
function sitesOf(service: TestService, { fields: said = {}, only }: ConformanceOptions): Map<string, Site[]> {
  const { schema } = service.contract;
  const all = rootFields(schema)
    .filter(([name]) => !service.app.notWritten.includes(name) && (only?.includes(name) ?? true))
    .flatMap(([name, root]) =>
      [...fieldsFrom(schema, name, root)].flatMap(([owner, steps]) => {
        const { name: field, args } = (steps.at(-1) as Step).field;
        const inputs = args.flatMap((arg) => [...inputsIn(`${owner}.${field}(${arg.name})`, [arg])]);
        return inputs.map((one): Site => ({ ...one, name, steps }));
      }),
    );
  const far = ({ name, steps }: Site) =>
    steps.length + (name in said ? 0 : all.length) + (isNarrowed(steps) ? 2 * all.length : 0);
  const sites = new Map<string, Site[]>();
  for (const site of all.sort((one, other) => far(one) - far(other)))
    sites.set(site.key, [...(sites.get(site.key) ?? []), site]);
  return sites;
}

/** What an input is given, with a value somewhere in it. */
function withValue([input, ...others]: InputValue[], present: Json, value: unknown): unknown {
  const { type, astNode } = input as InputValue;
  const [item] = [present].flat();
  const [next] = others;
  const whole = item ?? (next && sampleOf({ type: getNamedType(type), astNode }));
  const inner = next ? { ...whole, [next.name]: withValue(others, whole[next.name], value) } : value;
  return isListType(getNullableType(type)) ? [inner] : inner;
}

/** Whether an answer has what the last field was asked of, of each type that was named: otherwise nobody took the arguments. */
function reached(data: Json, steps: Site['steps']): boolean {
  const [root, ...others] = steps;
  let held: Json[] = [data?.[root.field.name]].flat(Number.POSITIVE_INFINITY);
  for (const { field, on } of others) {
    const asked = held.filter((one) => one != null && (on === undefined || one.__typename === on.name));
    if (asked.length === 0) return false;
    held = asked.flatMap((one) => [one[field.name]].flat(Number.POSITIVE_INFINITY));
  }
  return true;
}

/** Stands for an answer, where no value was found to send. */
const NO_VALUE = Symbol('no value');

/** Tries the bounds of arguments and input fields. */
async function everyGraphqlBound(t: Cases, service: TestService, options: ConformanceOptions, tried: BoundTried) {
  const { schema } = service.contract;
  const isExcepted = exceptedIn(service.contract);

  async function codesOf({ name, steps, inputs }: Site, bound: Bound, side: Side, key: string) {
    const input = inputs.at(-1) as InputValue;
    const [{ field: root }, ...others] = steps;
    const person = askerOf(service, name, root);
    if (person === undefined) return undefined;
    const about = asked(service, person, person);
    const found = { schema: sdlConstraint(schema, input), root: {}, sound: undefined, number: about.number };
    const value = (await options.bounds?.[key]?.(about)) ?? valueNextTo(bound, side, found);
    if (value === undefined) return NO_VALUE;
    const ofRoot = await soundArguments(options, name, root, about);
    const given: Json[] = [ofRoot, ...others.map(({ field }) => requiredArguments(field))];
    const [arg] = inputs;
    const last = given[steps.length - 1];
    last[arg.name] = withValue([...inputs], last[arg.name], isId(input) ? String(value) : value);
    const request = requestFor(name, steps, given);
    const { data, codes } = await askField({ service, options, name, ...request, headers: person.headers, about });
    return codes.length > 0 || !isNarrowed(steps) || reached(data, steps) ? codes : undefined;
  }

  for (const [of, sites] of sitesOf(service, options)) {
    const input = sites[0]?.inputs.at(-1) as InputValue;
    if (input.astNode?.directives?.some(({ name }) => name.value === 'coverage')) continue;
    for (const bound of sdlBounds(schema, input)) {
      for (const side of SIDES) {
        const key = sideName(of, bound, side);
        if (isExcepted(key)) continue;
        // The first that gives what has the input. Where none does, coverage reports what was not seen.
        for (const site of sites) {
          const codes = await codesOf(site, bound, side, key);
          if (codes === NO_VALUE) break;
          if (codes === undefined) continue;
          const status = Math.max(200, ...codes.map((code) => service.application.errors[code]?.status ?? 500));
          tried(t, key, side, status, String(codes));
          break;
        }
      }
    }
  }
}
