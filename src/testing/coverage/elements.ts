import type { ASTNode } from 'graphql';

interface KindOf {
  /** What one is called in a list of what is missing: `the status 409`. */
  word: string;
  title: string;
  /** Whether each must be seen, or be excepted with a reason, before `--check` passes. */
  demanded: boolean;
}

/** What of a contract can be seen on the wire, in the order of the reports. */
export const KINDS = {
  status: { word: 'status', title: 'operation × status', demanded: true },
  security: { word: 'way to log in', title: 'operation × way to log in', demanded: true },
  header: { word: 'response header', title: 'response headers', demanded: false },
  media: { word: 'media type', title: 'response media types', demanded: false },
  member: { word: 'response member', title: 'response members', demanded: false },
  value: { word: 'response value', title: 'response enum values', demanded: false },
  parameter: { word: 'parameter', title: 'parameters', demanded: false },
  requestMedia: { word: 'request media type', title: 'request media types', demanded: false },
  requestMember: { word: 'request member', title: 'request members', demanded: true },
  requestValue: { word: 'request value', title: 'request enum values', demanded: true },
  bound: { word: 'bound', title: 'bounds of requests, both sides', demanded: true },
  field: { word: 'field', title: 'SDL fields', demanded: true },
  argument: { word: 'argument', title: 'SDL arguments', demanded: true },
  inputField: { word: 'input field', title: 'SDL input fields', demanded: true },
  enumValue: { word: 'enum value', title: 'SDL enum values', demanded: false },
} satisfies Record<string, KindOf>;

export type ElementKind = keyof typeof KINDS;

export type ContractFile = 'openapi.yaml' | 'schema.graphql';

/** One thing that a contract promises or takes, and that a test can see on the wire. */
export interface Element {
  kind: ElementKind;
  /** The operationId, or the type of the SDL; of the body of a failure, the name of its schema. */
  owner: string;
  /**
   * Within the owner: `409`, `by basic`, `200 header ETag`, `200 <Page>/data[]/role = admin`, `query limit`, `body /name`,
   * `body /name at maxLength 100`; `name`, `users(limit)`, `users(limit) beyond max 100`.
   */
  name: string;
  /** What its observations are filed under: the owner and the name. */
  key: string;
  file: ContractFile;
  /** Where it stands: the keys that lead there in a YAML file, or the place in another. */
  at: readonly string[] | { file?: string; line: number; column: number };
  /** The key of what it hangs on, which must be seen before it can be: of a member its object, of a value its member. */
  within?: string | undefined;
  /** The response component that a status and its media types are declared by, if they are by reference. */
  component?: string | undefined;
}

/** The owner of what is answered where no operation is, after the extension that declares it. */
export const UNMATCHED = 'x-unmatched';

/** An element of the SDL, with the node that defines it. */
export interface SdlElement extends Omit<Element, 'at'> {
  node: ASTNode | null | undefined;
}
