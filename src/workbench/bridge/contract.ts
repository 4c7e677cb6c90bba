import type { Permission } from '@accord-api/platform/contract/document';
import { FILES as CONTRACT_FILES, type FilePlace } from '../model/problems.js';

export const SIDES = ['openapi', 'graphql', 'prisma'] as const;
export type Side = (typeof SIDES)[number];

export const FILES: Record<Side, string> = {
  openapi: CONTRACT_FILES.openapi,
  graphql: CONTRACT_FILES.schema,
  prisma: CONTRACT_FILES.prisma,
};
export const TITLES: Record<Side, string> = { openapi: 'REST', graphql: 'GraphQL', prisma: 'Prisma' };

export interface Location extends FilePlace {
  side: Side;
  /** A short description of the content. */
  text: string;
}

export interface Located {
  location: Location;
}

export interface Named extends Located {
  name: string;
}

/** The bounds of a value, with the names of `@constraint`. */
export interface Limits {
  min?: number;
  max?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  uncommon?: boolean;
}

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
export interface Operation extends Named {
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
  operations: Operation[];
  errorLists: ErrorList[];
}
export type Contracts = Record<Side, Contract>;

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
  const name = `the table of codes in ${FILES[side]}`;
  return first ? [{ name, location: { ...first.location, text: 'the table' }, values }] : [];
}
