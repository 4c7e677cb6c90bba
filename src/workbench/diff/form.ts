/** Which way a value travels: narrowing is bad for what is sent, widening for what is received. */
export type Direction = 'request' | 'response';

/** What is known of a place in a form, besides its value. */
export interface Fact {
  /** The rule that judges a difference here. */
  rule: string;
  /** Where it is, as the id of a change says it: `getUser:response.200.body.name`. */
  id: string;
  /** What it is within `where`, such as `total.amount`; empty for the whole. */
  name: string;
  /** `User in responses`, `the 200 response of getUser`. */
  where: string;
  /** Where it stands in its source, as the keys that lead there. */
  source: (string | number)[];
  direction: Direction;
  /** The operation or model that it is part of. */
  element: string;
  /** The schema that is here, which is compared as one. */
  part?: Part;
  /** Each way of proving who calls, as its schemes with their scopes. */
  requirements?: Requirement[];
}

/** The schemes that must be met together, each with the scopes that are asked for, and where it stands. */
export interface Requirement {
  schemes: Map<string, string[]>;
  source: (string | number)[];
}

export type Value = string | number | boolean | null | undefined | Tree;
export interface Tree {
  [key: string]: Value;
}

export const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

/**
 * A contract in normal form: a tree whose keys name what stands there (an enum's value, a parameter's name, a security
 * scheme) where the source has lists, and whose paths are therefore the same as long as the meaning is.
 */
export interface Form {
  tree: Tree;
  /** By path, its keys joined with `\0`. */
  facts: Map<string, Fact>;
}

export const keyOf = (path: readonly string[]) => path.join('\0');

export const emptyForm = (): Form => ({ tree: {}, facts: new Map() });

/** Enters a value at a path of a form; without a value, a branch, to which more may be entered before and after. */
export function enter({ tree, facts }: Form, path: readonly string[], fact: Fact, value?: Value): void {
  const parent = path.slice(0, -1).reduce((branch, key) => {
    branch[key] ??= {};
    return branch[key] as Tree;
  }, tree);
  const last = path.at(-1) as string;
  parent[last] = value ?? parent[last] ?? {};
  facts.set(keyOf(path), fact);
}

/** A place in a document while its form is built: where it will stand in the form, and what to say of it. */
export interface Spot {
  form: Form;
  /** What schemas that were only renamed are called in the old version. */
  formerNames?: ReadonlyMap<string, string>;
  /** The document, in which references are followed. */
  document: unknown;
  path: string[];
  id: string;
  source: (string | number)[];
  /** What it is within `where`, such as `total.amount`; empty for the whole. */
  name: string;
  where: string;
  direction: Direction;
  element: string;
  /** Whether its values are written as text, as those of a parameter are: then a number is one text too. */
  text?: true;
}

/** A schema as it is written, and where. `own`: only what it says itself, its references and alternatives being looked at elsewhere. */
export interface Written {
  value: unknown;
  spot: Spot;
  own?: true;
  /** The members that an `unevaluatedProperties` leaves alone; written as `additionalProperties`, which knows its own alone. */
  evaluated?: Record<string, unknown>;
  /** Whether it is only the same or not. */
  opaque?: true;
}

/** Schemas of which all must hold. None of them is a schema that allows anything. */
export type Part = readonly Written[];
