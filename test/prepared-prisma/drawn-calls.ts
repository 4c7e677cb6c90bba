/** Arbitrary calls of the fixture's client, for fast-check. */
import fc from 'fast-check';
import { dataModel, Prisma } from './fixture.js';

/** A model's member of the client, an operation, and its arguments. */
export type DrawnCall = [model: string, operation: string, args: object | undefined];
type Any = fc.Arbitrary<unknown>;
type Members = Record<string, Any>;

const optional = (arbitrary: Any) => fc.option(arbitrary, { nil: undefined });
const nullable = (arbitrary: Any) => fc.option(arbitrary, { nil: null, freq: 4 });
const listOf = (arbitrary: Any, maxLength = 3) => fc.array(arbitrary, { maxLength });

const EDGES = [0, 1, -1, 2_147_483_647, -2_147_483_648];
const int = fc.oneof(fc.integer({ min: -5, max: 70 }), fc.constantFrom(...EDGES));
const HARD = ['%', '_', '', "o'hara", '\\', '"quoted", {x}', 'NULL', 'é😀', 'a,b', ' x ', '2026-01-01', 'a'.repeat(36)];
const text = fc.oneof(
  fc.constantFrom('a', 'b', 'name 1', 'post 1', ...HARD),
  fc.string({ maxLength: 12 }).map((drawn) => drawn.replaceAll('\0', '')),
);
const date = fc.date({ min: new Date('1990-01-01'), max: new Date('2035-01-01'), noInvalidDate: true });
const when = fc.oneof(
  { weight: 4, arbitrary: date },
  { weight: 1, arbitrary: date.map((at) => at.toISOString()) },
  { weight: 1, arbitrary: fc.constantFrom('2026-05-06T07:08:09+02:00', '2026-05-06') },
);
const role = fc.constantFrom('ADMIN', 'EDITOR', 'VIEWER');
const big = fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n });
const decimal = fc.oneof(
  fc.integer({ min: -99_999_999, max: 99_999_999 }).map((n) => new Prisma.Decimal(n).div(10_000)),
  fc.constantFrom('12.5', 7, 0.25),
);
const float = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer({ min: -9, max: 9 }));
export const UUIDS = [
  '00000000-0000-4000-8000-00000000000a',
  '00000000-0000-4000-8000-00000000000b',
  'aaaaaaaa-0000-4000-8000-00000000000c',
];
const uuid = fc.constantFrom(...UUIDS);
const json = fc.oneof(
  fc
    .jsonValue({ maxDepth: 2 })
    .filter((value) => value !== null)
    .map((value) => JSON.parse(JSON.stringify(value).replaceAll('\\u0000', ''))),
  fc.constantFrom(Prisma.DbNull, Prisma.JsonNull),
);
const bytes = fc.uint8Array({ maxLength: 9 });

/** Without the members that are undefined, which `strictUndefinedChecks` rejects. */
const withoutUndefined = (object: object) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
const record = (members: Members) => fc.record(members).map(withoutUndefined);
const some = (all: Members, most: number) =>
  fc
    .subarray(Object.keys(all), { maxLength: Math.min(most, Object.keys(all).length) })
    .chain((names) => record(Object.fromEntries(names.map((name) => [name, all[name] as Any]))));
const member = (name: string, value: Any) => value.map((drawn) => ({ [name]: drawn }));
const weighted = (...all: [weight: number, arbitrary: Any][]) =>
  fc.oneof(...all.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const comparison = (value: Any, more: Members = {}): Any =>
  fc.oneof(
    value,
    member('in', listOf(value, 5)),
    member('notIn', listOf(value)),
    member('not', member('in', listOf(value))),
    ...['gt', 'gte', 'lt', 'lte', 'not', 'equals'].map((name) => member(name, value)),
    ...Object.entries(more).map(([name, arbitrary]) => member(name, arbitrary)),
  );
const onText = fc.oneof(
  comparison(text, { contains: text, startsWith: text, endsWith: text }),
  text.map((contains) => ({ contains, mode: 'insensitive' })),
);
const onList = (item: Any) =>
  fc.oneof(
    member('has', item),
    member('hasSome', listOf(item)),
    member('hasEvery', listOf(item)),
    member('isEmpty', fc.boolean()),
    member('equals', listOf(item)),
  );

const FILTERS: Record<string, Members> = {
  user: {
    id: comparison(int),
    name: onText,
    emailKey: onText,
    role: fc.oneof(role, member('not', role), member('in', listOf(role, 2))),
    createdAt: comparison(when),
    version: comparison(int),
    bossId: nullable(comparison(int)),
    roles: onList(role),
  },
  post: {
    id: comparison(int),
    title: onText,
    content: nullable(onText),
    published: fc.oneof(fc.boolean(), member('not', fc.boolean())),
    rating: nullable(comparison(float)),
    createdAt: comparison(when),
    authorId: comparison(int),
  },
  comment: { id: comparison(int), text: onText, postId: comparison(int), createdAt: comparison(when) },
  tag: { id: comparison(int), label: onText },
  event: { kind: onText, number: comparison(int), on: nullable(comparison(when)), in: onList(int) },
  thing: {
    id: comparison(uuid),
    code: onText,
    num: nullable(comparison(int)),
    big: nullable(comparison(fc.oneof(big, int))),
    price: nullable(comparison(decimal)),
    float: nullable(comparison(float)),
    flag: nullable(fc.boolean()),
    at: nullable(comparison(when)),
    local: nullable(comparison(when)),
    day: nullable(comparison(when)),
    clock: nullable(comparison(when)),
    bytes: nullable(fc.oneof(bytes, member('not', bytes))),
    role: nullable(role),
    ints: onList(int),
    words: onList(text),
    parentId: nullable(uuid),
    data: fc.oneof(member('equals', json), member('not', json), fc.constant({ path: ['a'], equals: 1 })),
  },
};

const DATA: Record<string, Members> = {
  user: {
    name: text,
    email: text,
    emailKey: int.map((n) => `u${n}@x.example`),
    role: optional(role),
    roles: optional(listOf(role)),
    createdAt: optional(when),
    version: optional(int),
    bossId: optional(nullable(fc.integer({ min: 1, max: 70 }))),
  },
  post: {
    title: text,
    authorId: fc.integer({ min: 1, max: 70 }),
    content: optional(nullable(text)),
    published: optional(fc.boolean()),
    rating: optional(nullable(float)),
    createdAt: optional(when),
  },
  comment: {
    text,
    postId: fc.integer({ min: 1, max: 220 }),
    authorId: fc.integer({ min: 1, max: 60 }),
    createdAt: optional(when),
  },
  tag: { label: int.map((n) => `tag ${n}`) },
  event: { id: optional(uuid), kind: text, number: int, on: optional(nullable(date)), in: optional(listOf(int)) },
  thing: {
    id: optional(uuid),
    code: fc.constantFrom('a', 'b', 'c'.repeat(41)),
    num: optional(nullable(int)),
    big: optional(nullable(fc.oneof(big, int))),
    price: optional(nullable(decimal)),
    float: optional(nullable(float)),
    flag: optional(nullable(fc.boolean())),
    at: optional(nullable(when)),
    local: optional(nullable(when)),
    day: optional(nullable(when)),
    clock: optional(nullable(when)),
    data: optional(json),
    bytes: optional(nullable(bytes)),
    role: optional(nullable(role)),
    ints: optional(listOf(int)),
    words: optional(listOf(text)),
    kinds: optional(listOf(role, 2)),
    prices: optional(listOf(decimal, 2)),
    uuids: optional(listOf(uuid, 2)),
    dates: optional(listOf(when, 2)),
    flags: optional(listOf(fc.boolean(), 2)),
    bigs: optional(listOf(big, 2)),
    docs: optional(listOf(fc.constantFrom({ a: [1] }, 'x', 7), 2)),
    parentId: optional(nullable(uuid)),
  },
};

const UNIQUE: Record<string, Any> = {
  user: fc.oneof(
    member('id', int),
    int.map((n) => ({ emailKey: `u${n}@x.example` })),
    fc.record({ id: int, role }),
  ),
  post: member('id', int),
  comment: member('id', int),
  tag: fc.oneof(
    member('id', int),
    int.map((n) => ({ label: `tag ${n}` })),
  ),
  event: fc.oneof(member('id', uuid), member('kind_number', fc.record({ kind: text, number: int }))),
  thing: weighted(
    [6, member('id', uuid)],
    [1, member('id', text)],
    [3, member('code_num', fc.record({ code: fc.constantFrom('a', 'b'), num: int }))],
  ),
};

const modelOf = (name: string) => {
  const found = Object.values(dataModel.models).find((model) => model.name.toLowerCase() === name);
  if (found === undefined) throw new Error(`${name} is not a model of the fixture.`);
  return found;
};
const fieldsOf = (model: string) => Object.values(modelOf(model).fields);
const relationsOf = (model: string) => fieldsOf(model).filter(({ kind }) => kind === 'object');
const columnsOf = (model: string) =>
  fieldsOf(model)
    .filter(({ kind }) => kind !== 'object')
    .map(({ name }) => name);

function where(model: string, depth: number): Any {
  const plain = some(FILTERS[model] ?? {}, 2);
  const relations = relationsOf(model);
  if (depth === 0) return plain;
  const logical = fc
    .array(where(model, depth - 1), { minLength: 1, maxLength: 3 })
    .chain((list) => fc.constantFrom('AND', 'OR', 'NOT').map((name) => ({ [name]: list })));
  if (relations.length === 0) return weighted([4, plain], [1, logical]);
  const related = fc.constantFrom(...relations).chain(({ name, type, isList }) => {
    const kinds = isList ? ['some', 'every', 'none'] : ['is', 'isNot'];
    const nested = where(type.toLowerCase(), depth - 1);
    return nested.chain((drawn) => fc.constantFrom(...kinds).map((kind) => ({ [name]: { [kind]: drawn } })));
  });
  return weighted([4, plain], [1, related], [1, logical]);
}

const orderBy = (model: string) => {
  const sortable = fieldsOf(model).filter(
    ({ kind, isList, type }) => kind !== 'object' && !isList && !/Json|Bytes/.test(type),
  );
  const names = sortable.map(({ name }) => name);
  return fc
    .tuple(fc.subarray(names, { maxLength: 2 }), fc.constantFrom('asc', 'desc'))
    .map(([chosen, way]) => [...chosen.map((name) => ({ [name]: way })), { id: 'asc' }]);
};
const page = (model: string, depth: number) =>
  record({
    where: optional(where(model, depth)),
    orderBy: orderBy(model),
    take: weighted([8, fc.integer({ min: 0, max: 6 })], [1, fc.constant(-3)]),
    skip: optional(fc.integer({ min: 0, max: 3 })),
  });

const namesOf = (names: string[], value: unknown = true) => Object.fromEntries(names.map((name) => [name, value]));

/** `select`, `include`, `omit` or nothing. */
function selection(model: string, depth: number): Any {
  const columns = columnsOf(model);
  const relations = relationsOf(model);
  const scalars = fc.subarray(columns, { minLength: 1 }).map((names) => namesOf(names));
  const below =
    depth === 0
      ? fc.constant({})
      : fc.subarray(relations, { maxLength: Math.min(2, relations.length) }).chain((chosen) =>
          record(
            Object.fromEntries(
              chosen.map(({ name, type, isList }) => {
                const to = type.toLowerCase();
                if (!isList) return [name, fc.oneof(fc.constant(true), selection(to, depth - 1))];
                const args = fc.tuple(page(to, 0), selection(to, depth - 1));
                return [name, args.map(([base, other]) => ({ ...(base as object), ...(other as object) }))];
              }),
            ),
          ),
        );
  const lists = relations.filter(({ isList }) => isList).map(({ name }) => name);
  const counts: Any =
    depth === 0 || lists.length === 0
      ? fc.constant({})
      : fc.option(
          fc.subarray(lists, { minLength: 1 }).map((names) => ({ _count: { select: namesOf(names) } })),
          { nil: {} },
        );
  const merged = fc.tuple(scalars, below, counts);
  return fc.oneof(
    merged.map(([base, two, three]) => ({ select: { ...base, ...(two as object), ...(three as object) } })),
    merged.map(([, relations, other]) => {
      const include = { ...(relations as object), ...(other as object) };
      return Object.keys(include).length > 0 ? { include } : {};
    }),
    fc.subarray(columns, { maxLength: 2 }).map((names) => (names.length > 0 ? { omit: namesOf(names) } : {})),
  );
}

const both = (first: Any, second: Any): Any =>
  fc.tuple(first, second).map(([a, b]) => ({ ...(a as object), ...(b as object) }));

const CHANGES: Record<string, Any> = {
  thing: fc.constantFrom({}, { num: { increment: 2 } }, { ints: { push: 4 } }, { words: { set: ['x'] } }),
  user: fc.constantFrom({}, { version: { increment: 1 } }, { name: { set: 'x' } }),
};
const change = (model: string) => both(some(DATA[model] ?? {}, 4), CHANGES[model] ?? fc.constant({}));
const flat = (model: string) => weighted([3, fc.constant({})], [2, selection(model, 0)], [1, selection(model, 1)]);

export const READS = ['findMany', 'findFirst', 'findFirstOrThrow', 'findUnique', 'findUniqueOrThrow', 'count'];

function callOf(model: string): fc.Arbitrary<DrawnCall> {
  const unique = UNIQUE[model] as Any;
  const creation = record(DATA[model] ?? {});
  const one = both(member('where', unique), selection(model, 2));
  const many = (depth: number) => both(page(model, 2), selection(model, depth));
  const first = (depth: number) => many(depth).map((args) => ({ ...(args as object), take: 1 }));
  const cursor = fc
    .tuple(unique, fc.integer({ min: 1, max: 4 }))
    .map(([cursor, take]) => ({ cursor, take, skip: 1, orderBy: { id: 'asc' } }));
  const upsert = fc.tuple(unique, creation, change(model)).map(([where, create, update]) => {
    const key = where as object;
    const same = 'emailKey' in key || 'label' in key ? key : {};
    return { where, create: { ...create, ...same }, update };
  });
  const operations: [weight: number, operation: string, args: Any][] = [
    [6, 'findMany', many(3)],
    [2, 'findFirst', first(2)],
    [1, 'findFirstOrThrow', first(1)],
    [3, 'findUnique', one],
    [2, 'findUniqueOrThrow', one],
    [2, 'count', page(model, 2)],
    [1, 'findMany', cursor],
    [4, 'create', both(member('data', creation), flat(model))],
    [4, 'update', both(fc.record({ where: unique, data: change(model) }), flat(model))],
    [2, 'delete', both(member('where', unique), flat(model))],
    [1, 'updateMany', fc.record({ where: where(model, 1), data: change(model) })],
    [1, 'deleteMany', member('where', where(model, 1))],
    [1, 'createMany', member('data', fc.array(creation, { minLength: 1, maxLength: 2 }))],
    [1, 'createManyAndReturn', member('data', fc.array(creation, { minLength: 1, maxLength: 2 }))],
    [1, 'updateManyAndReturn', fc.record({ where: where(model, 1), data: change(model) })],
    [1, 'upsert', upsert],
  ];
  return weighted(
    ...operations.map(([weight, operation, args]): [number, Any] => [
      weight,
      args.map((drawn) => [model, operation, drawn]),
    ]),
  ) as fc.Arbitrary<DrawnCall>;
}

export const drawnCall: fc.Arbitrary<DrawnCall> = fc
  .constantFrom('user', 'post', 'comment', 'tag', 'event', 'thing', 'thing')
  .chain(callOf);

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));

/** Returns the objects and lists in a value, at any depth. */
const containersIn = (value: unknown): Record<string, unknown>[] =>
  isPlain(value) || Array.isArray(value)
    ? [value as Record<string, unknown>, ...Object.values(value).flatMap(containersIn)]
    : [];

/** A call in which one value has been replaced. */
export const spoiltCall: fc.Arbitrary<DrawnCall> = fc
  .tuple(drawnCall, fc.nat(), fc.nat(), fc.constantFrom(undefined, undefined, Prisma.skip, null))
  .map(([[model, operation, args], container, place, value]) => {
    const containers = containersIn(args);
    const spoilt = containers[container % containers.length];
    const names = Object.keys(spoilt ?? {});
    if (spoilt && names.length > 0) spoilt[names[place % names.length] as string] = value;
    return [model, operation, args];
  });
