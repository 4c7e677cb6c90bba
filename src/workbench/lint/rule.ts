import type { OpenApiDocument, OperationObject } from '@accord-api/platform/contract/document';
import type { Element } from '@accord-api/platform/contract/elements';
import type { ASTNode, DocumentNode } from 'graphql';
import type { Problem } from '../model/problems.js';
import type { Finding, Path } from '../model/yaml-source.js';

/** The REST contract as the rules look at it. */
export interface Rest {
  /** Complete: references are not followed. */
  source: OpenApiDocument;
  elements: Element[];
  operations: NamedOperation[];
}

/** An operation that has its operationId; one without is refused by codegen. */
export interface NamedOperation {
  operationId: string;
  tag: string;
  /** With references followed, but those to schemas. */
  operation: OperationObject;
  /** `paths`, the path, the method in lower case. */
  at: Path;
}

/** A finding without the name of its rule, which the table of rules adds. */
export type RestFlaw = Omit<Finding, 'rule'>;

export interface SdlFlaw {
  /** The first word of it is underlined. */
  node: ASTNode;
  message: string;
}

/** A rule of our own. `why` says in one sentence what it protects from; `check` gives what breaks it. */
interface LintRule<Contract, Flaw> {
  name: string;
  why: string;
  /** Left out for an error. */
  severity?: Problem['severity'];
  check: (contract: Contract) => Flaw[];
}

export type RestRule = LintRule<Rest, RestFlaw>;
export type SdlRule = LintRule<DocumentNode, SdlFlaw>;
