/** The content of the three documents, and its counterparts. @module */

import type { Extensions, Keys, Permission } from '@accord-api/platform/contract/document';
import { operationEntries } from '@accord-api/platform/contract/openapi';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { extensionSchema } from '../model/extensions.js';
import type { OpenApiSource } from '../model/openapi-source.js';
import { FILES, type FilePlace } from '../model/problems.js';

export const SIDES = ['openapi', 'graphql', 'prisma'] as const;
export type Side = (typeof SIDES)[number];

export const SIDE_FILES: Record<Side, string> = { ...FILES, graphql: FILES.schema };
export const TITLES: Record<Side, string> = { openapi: 'REST', graphql: 'GraphQL', prisma: 'Prisma' };

export interface Location extends FilePlace {
  side: Side;
  /** A short description of the content. */
  text: string;
}

/** Returns the place of a key, or with `onKey` false of its value. */
export const locationOf = ({ placeOf }: OpenApiSource, path: Keys, text: string, onKey = true): Location => ({
  side: 'openapi',
  ...placeOf(path, onKey),
  text,
});

export interface Located {
  location: Location;
}

export interface Named extends Located {
  name: string;
}

/** The bounds of a value, with the names of `@constraint`. */
export type Limits = Partial<
  Record<'min' | 'max' | 'minLength' | 'maxLength', number> &
    Record<'pattern' | 'format', string> & { uncommon: boolean }
>;

export interface Member extends Named {
  /** The name in camelCase, which members of other documents share. */
  key: string;
  /** `integer`, `bigint`, `number`, `string`, `boolean`, `time`, `uuid`, `id`, `json`, `enum`, `object`, `any` */
  type: string;
  typeName?: string | undefined;
  values?: Named[] | undefined;
  isList: boolean;
  isOptional: boolean;
  limits: Limits;
  default?: unknown;
  isUnique?: boolean;
  hasDefault?: boolean;
}

export interface ObjectType extends Named {
  members: Member[];
}

export interface Enumeration extends Named {
  values: Named[];
}

/** A REST operation or a GraphQL root field, with the name `createUser` or `Query.user`. */
export interface ComparedOperation extends Named {
  permissions: { permission: Permission; location: Location }[];
  /** The path and query parameters and the members of the body; or the arguments, with the fields of input types. */
  inputs: Member[];
  /** The inputs that may be written: the body, or the arguments of a mutation. */
  written: Member[];
  result?: string | undefined;
  /** The documented error codes; undefined if none are documented. */
  errors?: Named[] | undefined;
}

export interface ErrorList extends Named {
  values: (Named & { status?: number })[];
}

/** The content of one document. A Prisma schema has no operations and no error codes. */
export interface Contract {
  types: ObjectType[];
  enumerations: Enumeration[];
  operations: ComparedOperation[];
  errorLists: ErrorList[];
}
export type Documents = Record<Side, Contract>;

export interface Difference {
  /** The kind and the subject, which `x-bridge` names to accept the difference. */
  id: string;
  message: string;
  advice: string;
  places: Location[];
}

export const difference = (id: string, message: string, advice: string, places: readonly Located[]): Difference => ({
  id,
  message,
  advice,
  places: places.map(({ location }) => location),
});

/** Returns the same key for `payment_token` and `paymentToken`. */
export const keyOf = (name: string): string =>
  name.replace(/(?<!_)_+([a-z\d])/gi, (_, letter: string) => letter.toUpperCase());

/** A row of a Markdown table of codes: | `CODE` | 404 | … | */
export const CODE_ROW = /^\s*\|\s*`([A-Z][A-Z_]+)`\s*\|\s*(\d{3})\s*\|(.*)$/;

export const codesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, code = '']) => code)),
];

export function codeTable(side: Side, texts: ReadonlyMap<string, string>): ErrorList[] {
  const values = [...texts].flatMap(([file, text]) =>
    text.split('\n').flatMap((line, index) => {
      const [, name, status] = CODE_ROW.exec(line) ?? [];
      if (name === undefined) return [];
      const place = { file, line: index + 1, column: line.indexOf(name) + 1, length: name.length };
      return [{ name, status: Number(status), location: { side, ...place, text: `${name} is ${status}` } }];
    }),
  );
  const [first] = values;
  const name = `the table of codes in ${SIDE_FILES[side]}`;
  return first ? [{ name, location: { ...first.location, text: 'the table' }, values }] : [];
}

/** The `x-bridge` of a schema, of an operation, or of the root for types that openapi.yaml does not have. */
interface Override {
  /** The counterpart, or `none`: a type; for an operation one root field or several, as in `Query.me`. */
  graphql?: string | string[];
  prisma?: string;
  pairs?: { graphql: string; prisma: string }[];
  /** The names of counterparts, by the name of a member. */
  fields?: Record<string, { graphql?: string; prisma?: string }>;
  /** Members that the other documents replace by the members of their type. */
  flatten?: string[];
  accept?: { difference: string; reason: string }[];
}

export interface Acceptance {
  difference: string;
  reason: string;
  location: Location;
}

export interface Overrides {
  /** Returns the override of a schema or an operation, or of the root for ''. */
  of: (name: string) => Override;
  accepted: Acceptance[];
  /** Overrides that do not match their schema, or that name something unknown. */
  faults: { location: Location; message: string }[];
}

const isValid = new Ajv2020({ allowUnionTypes: true }).compile<Override>(extensionSchema('x-bridge'));

const namesOf = (...lists: readonly Named[][]) => ['none', ...lists.flat().map(({ name }) => name)];

/** Returns the names in an override that do not exist. */
function unknownNames(name: string, override: Override, { openapi, graphql, prisma }: Documents): string[] {
  const { graphql: field = [], prisma: model = [], pairs = [], flatten = [], fields = {} } = override;
  const known = ({ types, enumerations, operations }: Contract) => namesOf(types, enumerations, operations);
  const members = namesOf(openapi.types.find((type) => type.name === name)?.members ?? []);
  const missing = (names: string[], existing: string[]) => names.filter((name) => !existing.includes(name));
  return [
    ...missing([field, pairs.map((pair) => pair.graphql)].flat(2), known(graphql)).map(
      (name) => `${name} of schema.graphql`,
    ),
    ...missing([model, pairs.map((row) => row.prisma)].flat(2), known(prisma)).map((key) => `${key} of schema.prisma`),
    ...missing([...flatten, ...Object.keys(fields)], members).map((member) => `${name}.${member}`),
  ];
}

export function readOverrides(source: OpenApiSource, contracts: Documents): Overrides {
  const { written: document } = source;
  const schemas = Object.entries(document.components?.schemas ?? {});
  const owners: { name: string; at: Keys; owner: Extensions }[] = [
    { name: '', at: [], owner: document },
    ...schemas.map(([name, owner]) => ({ name, at: ['components', 'schemas', name], owner })),
    ...operationEntries(document).map(({ operation, at }) => ({ name: operation.operationId, at, owner: operation })),
  ];
  const valid = new Map<string, Override>();
  const accepted: Acceptance[] = [];
  const faults: Overrides['faults'] = [];
  for (const { name, at, owner } of owners) {
    const { 'x-bridge': stated } = owner;
    const path = [...at, 'x-bridge'];
    if (stated === undefined) continue;
    if (!isValid(stated)) {
      for (const { instancePath, message } of isValid.errors ?? []) {
        const location = locationOf(source, [...path, ...instancePath.split('/').slice(1)], 'x-bridge');
        faults.push({ location, message: `x-bridge ${message}.` });
      }
      continue;
    }
    valid.set(name, stated);
    for (const unknown of unknownNames(name, stated, contracts)) {
      const message = `x-bridge names ${unknown}, which does not exist.`;
      faults.push({ location: locationOf(source, path, 'x-bridge'), message });
    }
    for (const [index, entry] of (stated.accept ?? []).entries())
      accepted.push({
        ...entry,
        location: locationOf(source, [...path, 'accept', index, 'difference'], 'accepts', false),
      });
  }
  return { of: (name) => valid.get(name) ?? {}, accepted, faults };
}

export interface ItemPair<Item> {
  name: string;
  sides: Partial<Record<Side, Item>>;
  override: Override;
}

export interface OperationPair {
  rest: ComparedOperation;
  field: ComparedOperation;
}

export interface Pairs {
  types: ItemPair<ObjectType>[];
  enumerations: ItemPair<Enumeration>[];
  operations: OperationPair[];
}

/** Pairs items by equal names. An override of openapi.yaml has priority, and its root pairs the other two documents. */
function pairByName<Key extends 'types' | 'enumerations'>(contracts: Documents, key: Key, overrides: Overrides) {
  type Item = Contract[Key][number];
  const itemsOf = (side: Side): readonly Item[] => contracts[side][key];
  const find = (side: Side, name: string) => itemsOf(side).find((item) => item.name === name);
  const pair = (name: string, override: Override, sides: Partial<Record<Side, Item | undefined>>): ItemPair<Item>[] => {
    const present = Object.entries(sides).filter(([, item]) => item !== undefined);
    return present.length > 1 ? [{ name, override, sides: Object.fromEntries(present) }] : [];
  };
  const paired: (Item | undefined)[] = [];
  const fromRest = itemsOf('openapi').flatMap((openapi) => {
    const override = overrides.of(openapi.name);
    const graphql = find('graphql', typeof override.graphql === 'string' ? override.graphql : openapi.name);
    paired.push(graphql);
    return pair(openapi.name, override, { openapi, graphql, prisma: find('prisma', override.prisma ?? openapi.name) });
  });
  const others = itemsOf('graphql').filter((item) => !paired.includes(item));
  const fromGraphql = others.flatMap((graphql) => {
    const stated = overrides.of('').pairs?.find((pair) => pair.graphql === graphql.name);
    return pair(graphql.name, {}, { graphql, prisma: find('prisma', stated?.prisma ?? graphql.name) });
  });
  return [...fromRest, ...fromGraphql];
}

/** Returns Mutation.createUser for `createUser`; Query.users and Query.usersConnection for `listUsers`. */
function counterpartsOf(operationId: string): string[] {
  const [, noun] = /^(?:get|list)([A-Z].*)$/.exec(operationId) ?? [];
  if (noun === undefined) return [`Mutation.${operationId}`, `Query.${operationId}`];
  const field = `Query.${noun.charAt(0).toLowerCase()}${noun.slice(1)}`;
  return [field, `${field}Connection`];
}

/** Pairs the types, enums and operations of the three documents by convention and by the overrides. */
export function pairUp(contracts: Documents, overrides: Overrides): Pairs {
  const { openapi, graphql } = contracts;
  return {
    types: pairByName(contracts, 'types', overrides),
    enumerations: pairByName(contracts, 'enumerations', overrides),
    operations: openapi.operations.flatMap((rest) => {
      const names = [overrides.of(rest.name).graphql ?? counterpartsOf(rest.name)].flat();
      return graphql.operations.filter(({ name }) => names.includes(name)).map((field) => ({ rest, field }));
    }),
  };
}
