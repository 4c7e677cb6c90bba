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
import { type BoundTried, exceptedIn, valueNextTo } from './bound-values.js';
import type { Cases, ConformanceOptions } from './conformance-options.js';
import { type Bound, isId, SIDES, type Side, sdlBounds, sdlConstraint, sideName } from './coverage/bounds.js';
import { askerOf, type Field, requiredArguments, soundArguments } from './every-field.js';
import { rootFields } from './matrix.js';
import type { Json } from './people.js';
import { answered, followed } from './permissions.js';
import { sampleOf } from './sample-arguments.js';
import type { TestService } from './service.js';
import { asked } from './sound-request.js';

/** A field, asked of what the field before gives. */
interface Step {
  field: Field;
  /** The only one of its types that has the field, where that gives an interface or a union. */
  on?: GraphQLObjectType | undefined;
}

/** Where an input of the schema can be given something. */
interface Site {
  /** Of its element. */
  key: string;
  /** Of the root field. */
  name: string;
  /** From the root field to the one that takes it. */
  steps: readonly [Step, ...Step[]];
  /** The argument, and the input fields to it. */
  inputs: readonly [InputValue, ...InputValue[]];
}

/** Whether what the root field gives may be of a type that does not have the last one. */
const isNarrowed = (steps: Site['steps']): boolean => steps.some(({ on }) => on !== undefined);

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
function* fieldsFrom(
  schema: GraphQLSchema,
  name: string,
  root: Field,
): Generator<[owner: string, steps: Site['steps']]> {
  const known = new Set<string>();
  const ways: [string, Site['steps']][] = [[name.split('.')[0] ?? '', [{ field: root }]]];
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

/** A document that asks for the last of some fields, each in the one before. Its variables are told apart by how deep they are. */
function documentFor(operation: string, steps: Site['steps'], given: readonly Json[]) {
  const variables: Record<string, unknown> = {};
  const declared: string[] = [];
  const texts = steps.map(({ field: { name, args }, on }, depth) => {
    const passed = args.flatMap((arg) => {
      const value = given[depth]?.[arg.name];
      if (value === undefined) return [];
      const variable = depth === 0 ? arg.name : `${arg.name}${depth}`;
      variables[variable] = value;
      declared.push(`$${variable}: ${arg.type}`);
      return [`${arg.name}: $${variable}`];
    });
    const asked = name + (passed.length > 0 ? `(${passed.join(', ')})` : '');
    return (inner: string) => (on ? `... on ${on.name} { ${asked}${inner} }` : `${asked}${inner}`);
  });
  const last = getNamedType((steps.at(-1) as Step).field.type);
  const innermost = 'getFields' in last || 'getTypes' in last ? ' { __typename }' : '';
  // Of which type a value is, whoever looks at the answer is told beside each of its fields.
  const selection = texts.reduceRight(
    (inner, text, depth) => ` { ${depth > 0 ? '__typename ' : ''}${text(inner)} }`,
    innermost,
  );
  return { document: `${operation}(${declared.join(', ')})${selection}`, variables };
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

/** Instead of an answer, where no value was found to send. */
const NO_VALUE = Symbol('no value');

/** Tries the bounds of arguments and input fields. */
export async function everyGraphqlBound(t: Cases, service: TestService, options: ConformanceOptions, sent: BoundTried) {
  const { schema } = service.contract;
  const isExcepted = (input: InputValue) => input.astNode?.directives?.some(({ name }) => name.value === 'coverage');
  const isListed = exceptedIn(service.contract);

  async function send({ name, steps, inputs }: Site, bound: Bound, side: Side, key: string) {
    const input = inputs.at(-1) as InputValue;
    const [{ field: root }, ...others] = steps;
    const person = askerOf(service, name, root);
    if (person === undefined) return undefined;
    const about = asked(service, person, person);
    const said = await options.bounds?.[key]?.(about);
    const found = { schema: sdlConstraint(schema, input), root: {}, sound: undefined, number: about.number };
    const value = said ?? valueNextTo(bound, side, found);
    if (value === undefined) return NO_VALUE;
    const ofRoot = await soundArguments(service, options, name, root, person);
    const given: Json[] = [{ ...ofRoot }, ...others.map(({ field }) => requiredArguments(field))];
    const [arg] = inputs;
    const last = given[steps.length - 1];
    last[arg.name] = withValue([...inputs], last[arg.name], isId(input) ? String(value) : value);
    const [operation = ''] = name.toLowerCase().split('.');
    const request = documentFor(operation, steps, given);
    const ask = operation === 'subscription' ? followed : answered;
    const { data, codes } = await ask({ service, options, name, ...request, headers: person.headers, about });
    const isAnswer = codes.length > 0 || !isNarrowed(steps) || reached(data, steps);
    return isAnswer ? codes : undefined;
  }

  for (const [of, sites] of sitesOf(service, options)) {
    const input = sites[0]?.inputs.at(-1) as InputValue;
    for (const bound of isExcepted(input) ? [] : sdlBounds(schema, input)) {
      for (const side of SIDES) {
        const key = sideName(of, bound, side);
        if (isListed(key)) continue;
        // The first that gives what has the input. Where none does, coverage tells what was not seen.
        for (const site of sites) {
          const codes = await send(site, bound, side, key);
          if (codes === NO_VALUE) break;
          if (codes === undefined) continue;
          const status = Math.max(200, ...codes.map((code) => service.application.errors[code]?.status ?? 500));
          sent(t, key, side, status, String(codes));
          break;
        }
      }
    }
  }
}
