import type { Permission } from '@accord-api/platform/contract/document';
import { type FilePlace, FILES as READ } from '../model/problems.js';

/** The three documents that are held against each other, in the order in which they are told. */
export const SIDES = ['openapi', 'graphql', 'prisma'] as const;
export type Side = (typeof SIDES)[number];

export const FILES: Record<Side, string> = {
  openapi: READ.openapi,
  graphql: READ.schema,
  prisma: READ.prisma,
};

/** Where something is written, and what it says there, in few words. */
export interface Where extends FilePlace {
  side: Side;
  says: string;
}

/** What a value must satisfy beyond its type, by the names of `@constraint`. */
export interface Limits {
  min?: number;
  max?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  uncommon?: boolean;
}

/** A property, field, column, parameter or argument. */
export interface Member {
  /** As its document spells it. */
  name: string;
  /** In camelCase, by which it finds its counterparts. */
  key: string;
  where: Where;
  /** As its document calls it (`integer`, `Int`, `String`); `time`, `uuid`, `enum` and `object` for what these are. */
  type: string;
  /** The name of the enum or object type, where it has one. */
  of?: string | undefined;
  /** The values of an enum that has no name. */
  values?: Value[] | undefined;
  list: boolean;
  /** Whether it may be absent or null. */
  optional: boolean;
  limits: Limits;
  default?: unknown;
  /** Whether the field takes arguments. */
  called?: boolean;
  /** Whether it identifies a row by itself. */
  unique?: boolean;
  /** Whether the store fills it in where none is given. */
  filled?: boolean;
}

export interface Value {
  name: string;
  where: Where;
}

/** A type with members. */
export interface Shape {
  name: string;
  where: Where;
  members: Member[];
}

export interface Enumeration {
  name: string;
  where: Where;
  values: Value[];
}

/** A REST operation or a GraphQL root field. */
export interface Call {
  /** The operationId, or `Query.user`. */
  name: string;
  where: Where;
  permissions: { permission: Permission; where: Where }[];
  /** Of REST the parameters of path and query and the members of the body; of GraphQL the arguments, inputs spread. */
  inputs: Member[];
  /** What of that it may write: of REST the body. Empty for what only reads. */
  written: Member[];
  /** The name of the type that it answers with. */
  result?: string | undefined;
  /** The error codes that it says it can give; undefined where it does not say. */
  errors?: Value[] | undefined;
}

/** One list of the error codes with their statuses. */
export interface Catalogue {
  /** What the list is called in a message. */
  name: string;
  where: Where;
  codes: Map<string, { status?: number; where: Where }>;
}

/** What one document has to say. Prisma knows no calls and no codes. */
export interface Contract {
  shapes: Shape[];
  enumerations: Enumeration[];
  calls: Call[];
  catalogues: Catalogue[];
}

/** `payment_token` and `paymentToken` are one name. */
export const keyOf = (name: string): string =>
  name.replace(/(?<!_)_+([a-z\d])/gi, (_, letter: string) => letter.toUpperCase());

/** The rows of a table of codes in Markdown: | `CODE` | 404 | … | */
export const CODE_ROW = /^\s*\|\s*`([A-Z][A-Z_]+)`\s*\|\s*(\d{3})\s*\|(.*)$/;

/** The table of error codes in a document's texts, or undefined when there is none. */
export function codeTable(side: Side, texts: ReadonlyMap<string, string>): Catalogue | undefined {
  const codes: Catalogue['codes'] = new Map();
  const lines = [...texts].flatMap(([file, text]) => text.split('\n').map((line, index) => ({ file, line, index })));
  for (const { file, line, index } of lines) {
    const [, code, status] = CODE_ROW.exec(line) ?? [];
    if (code === undefined) continue;
    const place = { file, line: index + 1, column: line.indexOf(code) + 1, length: code.length };
    codes.set(code, { status: Number(status), where: { side, ...place, says: `${code} is ${status}` } });
  }
  const [first] = codes.values();
  return first && { name: `the table of codes in ${FILES[side]}`, where: { ...first.where, says: 'the table' }, codes };
}
