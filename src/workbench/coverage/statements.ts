import type { OpenApiDocument } from '@accord-api/platform/contract/document';
import type { Element, SdlElement } from '@accord-api/testing/coverage/elements';
import type { Observations } from '@accord-api/testing/coverage/recording';
import { Kind } from 'graphql';

/** What a contract says of its own coverage, about an element or a component, and why. */
interface Statement extends Pick<Element, 'file' | 'at'> {
  table: 'except' | 'once';
  /**
   * The key of an element that no test need see, with what hangs on it. Or a response component: that no test need see, whichever
   * operation answers with it (`except`), or that is seen on all when it is seen on one (`once`).
   */
  subject: string;
  /** Undefined unless it is a text that says something. */
  reason: string | undefined;
}

const sentence = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

function ofSdl({ kind, key, file, at, node }: SdlElement & Element): Statement[] {
  // A bound has the node of what has the bound.
  if (kind === 'bound') return [];
  const directives = node && 'directives' in node ? (node.directives ?? []) : [];
  return directives
    .filter(({ name }) => name.value === 'coverage')
    .map(({ arguments: given = [] }) => {
      const value = given.find(({ name }) => name.value === 'except')?.value;
      const reason = value?.kind === Kind.STRING ? sentence(value.value) : undefined;
      return { table: 'except', subject: key, reason, file, at };
    });
}

/**
 * Reads the statements of both contracts: in `openapi.yaml` the extension `x-coverage` with the tables `except`, by
 * `getUser 409` or the name of a response component, and `once`, by such a name; in `schema.graphql` the directive
 * `@coverage(except: "…")` on a field, an argument, an input field or an enum value.
 */
export function statementsOf(document: OpenApiDocument, sdl: readonly (SdlElement & Element)[]): Statement[] {
  const stated = (document['x-coverage'] ?? {}) as Partial<Record<Statement['table'], Record<string, unknown>>>;
  const ofTable = (table: Statement['table']) =>
    Object.entries(stated[table] ?? {}).map(
      ([subject, reason]): Statement => ({
        table,
        subject,
        reason: sentence(reason),
        file: 'openapi.yaml',
        at: ['x-coverage', table, subject],
      }),
    );
  return [...ofTable('except'), ...ofTable('once'), ...sdl.flatMap(ofSdl)];
}

/** Why a statement is not in order, or undefined when it is. */
export function faultOf(
  { table, subject, reason }: Statement,
  elements: readonly Element[],
  seen: Observations,
): string | undefined {
  if (reason === undefined) return `"${subject}" has no reason.`;
  const uses = elements.filter(({ kind, component }) => kind === 'status' && component === subject);
  if (table === 'once')
    return uses.length > 1 ? undefined : `"${subject}" is no response that several operations share.`;
  // What is seen itself may yet have bounds that cannot be.
  const named = elements.filter(({ kind, key, within }) => key === subject || (kind === 'bound' && within === subject));
  const excepted = uses.length > 0 ? uses : named;
  if (excepted.length === 0) return `"${subject}" is nothing that the contract has.`;
  // One that is rare may be seen by chance on some of those that share it.
  return excepted.every(({ key }) => seen.has(key))
    ? `"${subject}" was seen after all: take the exception out.`
    : undefined;
}
