import type { Permission } from '@accord-api/platform/contract/document';
import { type FilePlace, FILES as READ } from '../model/problems.js';

/** The three documents, in the order of reports. */
export const SIDES = ['openapi', 'graphql', 'prisma'] as const;
export type Side = (typeof SIDES)[number];

export const FILES: Record<Side, string> = { openapi: READ.openapi, graphql: READ.schema, prisma: READ.prisma };
export const TITLES: Record<Side, string> = { openapi: 'REST', graphql: 'GraphQL', prisma: 'Prisma' };

/** A place of a document, and what it says there, in few words. */
export interface Where extends FilePlace {
  side: Side;
  says: string;
}

export interface Value {
  name: string;
  where: Where;
}

/** The bounds of a value, by the names of `@constraint`. */
export interface Limits {
  min?: number;
  max?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  uncommon?: boolean;
}

/** A property, field, column, parameter or argument, with the name that its document has for it. */
export interface Member extends Value {
  /** The name in camelCase, by which it finds its counterparts. */
  key: string;
  /** As in its document (`integer`, `Int`, `String`), or `time`, `uuid`, `enum` or `object`. */
  type: string;
  /** The name of the enum or object type, where it has one. */
  of?: string | undefined;
  /** The values of an enum that has no name. */
  values?: Value[] | undefined;
  list: boolean;
  /** True if it may be absent or null. */
  optional: boolean;
  limits: Limits;
  default?: unknown;
  /** True if it identifies a row. */
  unique?: boolean;
  /** True if the database fills it in. */
  filled?: boolean;
}

/** A type with members. */
export interface Shape extends Value {
  members: Member[];
}

export interface Enumeration extends Value {
  values: Value[];
}

/** A REST operation or a GraphQL root field, by its operationId or as in `Query.user`. */
export interface Call extends Value {
  permissions: { permission: Permission; where: Where }[];
  /** The parameters of path and query and the members of the body; or the arguments, with the fields of input types. */
  inputs: Member[];
  /** The inputs that it may write: the body, or the arguments of a mutation. */
  written: Member[];
  /** The name of the type of the answer. */
  result?: string | undefined;
  /** The error codes that it documents; undefined where it documents none. */
  errors?: Value[] | undefined;
}

/** A list of the error codes with their statuses. */
export interface Catalogue extends Value {
  values: (Value & { status?: number })[];
}

/** The content of one document. Prisma has no calls and no catalogues. */
export interface Contract {
  shapes: Shape[];
  enumerations: Enumeration[];
  calls: Call[];
  catalogues: Catalogue[];
}

/** Two or three documents that contradict each other. */
export interface Difference {
  /** Kind and subject, without places, for `x-bridge` to accept it. */
  id: string;
  message: string;
  advice: string;
  places: Where[];
}

/** `payment_token` and `paymentToken` are one name. */
export const keyOf = (name: string): string =>
  name.replace(/(?<!_)_+([a-z\d])/gi, (_, letter: string) => letter.toUpperCase());

/** The rows of a table of codes in Markdown: | `CODE` | 404 | … | */
export const CODE_ROW = /^\s*\|\s*`([A-Z][A-Z_]+)`\s*\|\s*(\d{3})\s*\|(.*)$/;

/** Returns the codes that a text names. */
export const codesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, code = '']) => code)),
];

/** Reads the tables of error codes in the texts of a document. */
export function codeTable(side: Side, texts: ReadonlyMap<string, string>): Catalogue[] {
  const values = [...texts].flatMap(([file, text]) =>
    text.split('\n').flatMap((line, index) => {
      const [, name, status] = CODE_ROW.exec(line) ?? [];
      if (name === undefined) return [];
      const place = { file, line: index + 1, column: line.indexOf(name) + 1, length: name.length };
      return [{ name, status: Number(status), where: { side, ...place, says: `${name} is ${status}` } }];
    }),
  );
  const [first] = values;
  const name = `the table of codes in ${FILES[side]}`;
  return first ? [{ name, where: { ...first.where, says: 'the table' }, values }] : [];
}
