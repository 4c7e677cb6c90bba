/** The shape of a call: the arguments that can change the text of the statement. Others are its parameters. */
import { Decimal, skip } from '@prisma/client/runtime/client';
import type { DataModel, Field, Model } from './data-model.js';

/** A call that only Prisma can run. The message is one of few reasons. */
export class Unsupported extends Error {}

/** A row that only Prisma can read. */
export class UnreadRow extends Error {}

export interface PrismaCall {
  model: Model;
  operation: string;
  args: object | undefined;
}

export type ValueType =
  | 'int'
  | 'float'
  | 'text'
  | 'uuid'
  | 'bigint'
  | 'date'
  | 'isoDate'
  | 'decimal'
  | 'bytes'
  | 'json';

export interface Shape {
  key: string;
  values: unknown[];
  types: ValueType[];
  /** The index of the first equal value. Equal keys make an `upsert` one statement. */
  equal: number[];
}

type Position = 'arguments' | 'selection' | 'where' | 'relation' | 'filter' | 'data' | 'literal';

/** Bounds the memory of a plan and the work of a caller who chooses the shape. */
const MAX_KEY_LENGTH = 8192;
const LITERAL_ARGUMENTS = new Set(['orderBy', 'relationLoadStrategy', 'omit']);
const LOGICAL = new Set(['AND', 'OR', 'NOT']);
const RELATION_FILTERS = new Set(['is', 'isNot', 'some', 'every', 'none']);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const ISO_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/;
/** Returns true for a date of Prisma with at most three fractional digits. */
const isIsoDate = (text: string): boolean => ISO_DATE.test(text) && !Number.isNaN(Date.parse(text));

/** @throws Unsupported */
export function shapeOf(dataModel: DataModel, call: PrismaCall): Shape {
  const walk = new Walk(dataModel, call, undefined, false);
  walk.start(call.args);
  return walk;
}

/** Copies the arguments with padded lists. @param filled replaces the values */
export function copyOf(dataModel: DataModel, call: PrismaCall, filled?: readonly unknown[]): object | undefined {
  return new Walk(dataModel, call, filled, true).start(call.args) as object | undefined;
}

class Walk implements Shape {
  key: string;
  readonly values: unknown[] = [];
  readonly types: ValueType[] = [];
  readonly equal: number[] = [];
  readonly #models: DataModel['models'];
  readonly #model: Model;
  readonly #compares: boolean;
  readonly #filled: readonly unknown[] | undefined;
  readonly #copies: boolean;

  constructor(
    { models }: DataModel,
    { model, operation }: PrismaCall,
    filled: readonly unknown[] | undefined,
    copies: boolean,
  ) {
    this.key = `${model.name}.${operation}`;
    this.#models = models;
    this.#model = model;
    this.#compares = operation === 'upsert';
    this.#filled = filled;
    this.#copies = copies;
  }

  start(args: object | undefined): unknown {
    const copy = args === undefined ? undefined : this.#any(args, 'arguments', this.#model, undefined);
    if (this.key.length > MAX_KEY_LENGTH) throw new Unsupported('the arguments are too large');
    return copy;
  }

  #value(type: ValueType, value: unknown): unknown {
    const i = this.values.push(value) - 1;
    this.types.push(type);
    const same = this.#compares ? this.values.indexOf(value) : i;
    this.equal.push(same);
    this.key += same === i ? type : `=${same}`;
    return this.#filled === undefined ? value : this.#filled[i];
  }

  #any(value: unknown, place: Position, model: Model, field: Field | undefined): unknown {
    switch (typeof value) {
      case 'string':
        return this.#text(value, place, field);
      case 'number':
        if (place === 'literal') throw new Unsupported('a number where a keyword is expected');
        if (!Number.isFinite(value)) throw new Unsupported('a number that is not finite');
        if (field?.type === 'BigInt' && Number.isSafeInteger(value)) return this.#value('bigint', value);
        if (!Number.isInteger(value)) return this.#value('float', value);
        if (value !== (value | 0)) throw new Unsupported('an integer of more than 32 bits');
        return this.#value('int', value);
      case 'boolean':
        this.key += value;
        return value;
      case 'bigint':
        return this.#value('bigint', value);
      case 'undefined':
        // A preview feature decides if Prisma ignores or rejects it.
        this.key += 'undefined';
        return value;
      case 'object':
        if (value === null) {
          this.key += 'null';
          return value;
        }
        if (Array.isArray(value)) return this.#list(value, place, model, field);
        return this.#object(value as Record<string, unknown>, place, model, field);
      default:
        throw new Unsupported(`a value that is a ${typeof value}`);
    }
  }

  #text(value: string, place: Position, field: Field | undefined): unknown {
    if (place === 'literal' || field?.kind === 'enum') {
      this.key += JSON.stringify(value);
      return value;
    }
    if (field?.type === 'DateTime') {
      if (!isIsoDate(value)) throw new Unsupported('a date as text that is not ISO 8601');
      return this.#value('isoDate', value);
    }
    return this.#value(value.length === 36 && UUID.test(value) ? 'uuid' : 'text', value);
  }

  #list(items: unknown[], place: Position, model: Model, field: Field | undefined): unknown {
    const copy: unknown[] | undefined = this.#copies ? [] : undefined;
    this.key += '[';
    for (const item of items) {
      const part = this.#any(item, place, model, field);
      copy?.push(part);
      this.key += ',';
    }
    this.key += ']';
    return copy;
  }

  #object(object: Record<string, unknown>, place: Position, model: Model, field: Field | undefined): unknown {
    const prototype = Object.getPrototypeOf(object);
    if (prototype !== Object.prototype && prototype !== null) return this.#instance(object);
    const copy: Record<string, unknown> | undefined = this.#copies ? {} : undefined;
    this.key += '{';
    for (const name in object) {
      if (name === '__proto__') throw new Unsupported('a member with the name __proto__');
      // The length keeps a name that a caller chose from reading like two names.
      this.key += name.length;
      this.key += ':';
      this.key += name;
      const part = this.#member(name, object[name], place, model, field);
      if (copy !== undefined) copy[name] = part;
      this.key += ',';
    }
    this.key += '}';
    return copy;
  }

  #instance(object: object): unknown {
    if (object instanceof Date) {
      if (Number.isNaN(object.getTime())) throw new Unsupported('an invalid date');
      return this.#value('date', object);
    }
    if (object instanceof Uint8Array) return this.#value('bytes', object);
    if (Decimal.isDecimal(object) && (object as Decimal).isFinite()) return this.#value('decimal', object);
    const { _getName: nullName } = object as { _getName?: () => string };
    if (object === skip) this.key += '#skip';
    else if (typeof nullName === 'function') this.key += `#${nullName.call(object)}`;
    else throw new Unsupported('an object of a class');
    return object;
  }

  #member(name: string, value: unknown, place: Position, model: Model, field: Field | undefined): unknown {
    switch (place) {
      case 'arguments':
        return this.#argument(name, value, model);
      case 'selection':
        return this.#any(value, 'arguments', this.#related(model, name) ?? model, undefined);
      case 'where':
        return this.#condition(name, value, model);
      case 'relation':
        return RELATION_FILTERS.has(name)
          ? this.#any(value, 'where', model, undefined)
          : this.#condition(name, value, model);
      case 'filter':
        return this.#operator(name, value, model, field);
      case 'data':
        return this.#assignment(name, value, model);
      case 'literal':
        return this.#any(value, 'literal', model, undefined);
    }
  }

  #related(model: Model, name: string): Model | undefined {
    const relation = model.fields[name]?.relation;
    return relation && this.#models[relation.model];
  }

  #argument(name: string, value: unknown, model: Model): unknown {
    if (name === 'where' || name === 'cursor') return this.#any(value, 'where', model, undefined);
    if (name === 'select' || name === 'include') return this.#any(value, 'selection', model, undefined);
    if (name === 'data' || name === 'create' || name === 'update') return this.#any(value, 'data', model, undefined);
    if (LITERAL_ARGUMENTS.has(name)) return this.#any(value, 'literal', model, undefined);
    if (typeof value === 'object' && value !== null) throw new Unsupported(`the argument ${known(name)}`);
    if (name === 'take' && (value as number) < 0) throw new Unsupported('a negative take');
    // Prisma omits OFFSET 0, answers LIMIT 0 itself, and takes one row only in `findFirst`.
    if (value !== 0 && (value !== 1 || name !== 'take')) return this.#any(value, 'arguments', model, undefined);
    this.key += `#${value}`;
    return value;
  }

  #condition(name: string, value: unknown, model: Model): unknown {
    if (LOGICAL.has(name)) return this.#any(value, 'where', model, undefined);
    const related = this.#related(model, name);
    if (related !== undefined) return this.#any(value, 'relation', related, undefined);
    const field = model.fields[name];
    // Names of unique keys with several fields are not fields.
    return field === undefined ? this.#any(value, 'where', model, undefined) : this.#any(value, 'filter', model, field);
  }

  #operator(name: string, value: unknown, model: Model, field: Field | undefined): unknown {
    if (name === 'mode') return this.#any(value, 'literal', model, undefined);
    if (field?.type === 'Json') {
      if (name !== 'equals' && name !== 'not') throw new Unsupported('a filter of JSON');
      return this.#json(value);
    }
    if ((name === 'in' || name === 'notIn') && Array.isArray(value) && value.length > 0) {
      // Repeats the last value up to a power of two, so that 64 lengths share 7 shapes.
      const length = 2 ** Math.ceil(Math.log2(value.length));
      const padded = Array.from({ length }, (_, i) => value[Math.min(i, value.length - 1)]);
      return this.#list(padded, 'filter', model, field);
    }
    return this.#any(value, 'filter', model, field);
  }

  #assignment(name: string, value: unknown, model: Model): unknown {
    const field = model.fields[name];
    if (field?.kind === 'object') throw new Unsupported('a nested write');
    if (field?.type !== 'Json') return this.#any(value, 'filter', model, field);
    if (field.isList) throw new Unsupported('a list of JSON');
    return this.#json(value);
  }

  #json(value: unknown): unknown {
    if (value === null || value === undefined) return this.#any(value, 'filter', this.#model, undefined);
    if (typeof (value as { _getName?: unknown })._getName === 'function' || value === skip)
      return this.#instance(value as object);
    if (hasNoValue(value)) throw new Unsupported('JSON with a value that is undefined or skipped');
    this.key += Array.isArray(value) ? 'list ' : typeof value;
    return this.#value('json', value);
  }
}

/** Returns true for JSON that Prisma refuses or changes, and `JSON.stringify` does not. */
function hasNoValue(json: unknown): boolean {
  if (typeof json !== 'object' || json === null) return json === undefined;
  if (json === skip) return true;
  for (const name in json) if (hasNoValue((json as Record<string, unknown>)[name])) return true;
  return false;
}

/** Keeps names of callers out of the statistics. */
const known = (name: string) =>
  /^(by|having|distinct|_count|_sum|_avg|_min|_max)$/.test(name) ? name : 'of an unknown name';
