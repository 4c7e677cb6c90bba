import {
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import type { InputValue } from '../graphql/constraints.js';
import { type BoundTried, exceptedIn, valueNextTo } from './bound-values.js';
import type { Cases, ConformanceOptions } from './conformance-options.js';
import { isId, SIDES, sdlBounds, sdlConstraint, sideName } from './coverage/bounds.js';
import { askerOf, type Field, soundArguments } from './every-field.js';
import { rootFields } from './matrix.js';
import type { Json } from './people.js';
import { answered, followed } from './permissions.js';
import { sampleOf } from './sample-arguments.js';
import type { TestService } from './service.js';
import { asked } from './sound-request.js';

/** Where an input of the schema can be given something. */
interface Site {
  /** Of its element. */
  key: string;
  /** Of the root field. */
  name: string;
  /** From the root field to the one that takes it. */
  fields: readonly [Field, ...Field[]];
  /** The argument, and the input fields to it. */
  inputs: readonly [InputValue, ...InputValue[]];
}

/** An argument, or an input field, with those of its type, at any depth. */
function* inputsIn(key: string, inputs: Site['inputs']): Generator<Pick<Site, 'key' | 'inputs'>> {
  yield { key, inputs };
  const [last] = inputs.slice(-1) as [InputValue];
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
function withValue([input, ...others]: InputValue[], present: Json, value: unknown): unknown {
  const { type, astNode } = input as InputValue;
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

/** Tries the bounds of arguments and input fields. */
export async function everyGraphqlBound(t: Cases, service: TestService, options: ConformanceOptions, sent: BoundTried) {
  const { schema } = service.contract;
  const isExcepted = (input: InputValue) => input.astNode?.directives?.some(({ name }) => name.value === 'coverage');
  const isListed = exceptedIn(service.contract);
  for (const { key: of, name, fields, inputs } of sitesOf(service, options)) {
    const input = inputs.at(-1) as InputValue;
    const [root] = fields;
    const person = askerOf(service, name, root);
    const bounds = person === undefined || isExcepted(input) ? [] : sdlBounds(schema, input);
    for (const bound of bounds) {
      for (const side of SIDES) {
        const key = sideName(of, bound, side);
        if (isListed(key) || person === undefined) continue;
        const about = asked(service, person, person);
        const said = await options.bounds?.[key]?.(about);
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
