import type { OpenApiDocument } from '@accord-api/platform/contract/document';
import {
  type ContractFile,
  type Element,
  type ElementKind,
  KINDS,
  type SdlElement,
} from '@accord-api/testing/coverage/elements';
import { sdlElements } from '@accord-api/testing/coverage/graphql';
import type { Observations } from '@accord-api/testing/coverage/recording';
import { restElements } from '@accord-api/testing/coverage/rest';
import { Kind } from 'graphql';
import type { Contracts } from '../model/contracts.js';
import { type FilePlace, type Problem, problemAt } from '../model/problems.js';
import { placeOf as placeOfNode } from '../model/sdl-source.js';

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
function statementsOf(document: OpenApiDocument, sdl: readonly (SdlElement & Element)[]): Statement[] {
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
function faultOf(
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

/** `shared`: not seen itself, but its component was, which counts once for all operations. */
export type State = 'seen' | 'shared' | 'excepted' | 'missing';

export interface Measured extends Pick<Element, 'kind' | 'owner' | 'name' | 'key' | 'within' | 'component'> {
  /** Which of the two contracts has it. */
  contract: ContractFile;
  /** The file of it, where it is several. */
  file: string;
  state: State;
  /** In how many answers it was seen. */
  count: number;
  line: number;
  column: number;
  /** Why it is excepted; why its component counts once for all that answer with it. */
  reason?: string;
}

export interface Figures {
  kind: ElementKind;
  states: Record<State, number>;
  total: number;
  /** What is not missing, of 100. */
  percent: number;
}

export interface Coverage {
  /** All that the contracts have, in their order. */
  elements: Measured[];
  /** For each kind that the contracts have. */
  figures: Figures[];
  /** What is demanded and missing, in the order of the contracts. */
  missing: Measured[];
  /** Statements of the contracts about their coverage that are not in order. */
  problems: Problem[];
}

/** Of 100, rounded down to a tenth, so that 100 is said of all and of nothing less. */
export const percentOf = (covered: number, total: number): number => Math.floor((covered * 1000) / total) / 10;

function figuresOf(elements: readonly Measured[]): Figures[] {
  return (Object.keys(KINDS) as ElementKind[]).flatMap((kind) => {
    const states = { seen: 0, shared: 0, excepted: 0, missing: 0 };
    const own = elements.filter((one) => one.kind === kind);
    for (const { state } of own) states[state] += 1;
    const percent = percentOf(own.length - states.missing, own.length);
    return own.length === 0 ? [] : { kind, states, total: own.length, percent };
  });
}

/** What operations that answer with the same component share: the status, and each of its media types. */
const shareOf = ({ component, name }: Element): string | undefined =>
  component && [component, ...name.split(' ').slice(1)].join(' ');

/**
 * Holds what the tests have seen against what the contracts have.
 * @param contracts sound ones, as the check has them; throws on what cannot be parsed
 */
export function measureCoverage({ openapi, schema }: Contracts, seen: Observations): Coverage {
  const sdl = sdlElements(schema.schema).map((one) => {
    const name = one.node && 'name' in one.node ? one.node.name : undefined;
    return { ...one, at: placeOfNode(name) };
  });
  const all: Element[] = [...restElements(openapi.written), ...sdl];
  const statements = statementsOf(openapi.written, sdl);
  const placeOf = ({ at }: Pick<Element, 'at'>): FilePlace => {
    if (!('line' in at)) return openapi.placeOf(at, true);
    return { ...at, file: at.file ?? schema.file };
  };

  const reasons = (table: 'except' | 'once') =>
    new Map(statements.flatMap((one) => (one.table === table && one.reason ? [[one.subject, one.reason]] : [])));
  const [excepted, once] = [reasons('except'), reasons('once')];
  const sharedAndSeen = new Set(all.filter(({ key }) => seen.has(key)).map(shareOf));

  const judge = (element: Element): Pick<Measured, 'state' | 'reason'> => {
    const { key, within = '', component = '' } = element;
    if (seen.has(key)) return { state: 'seen' };
    const exception = excepted.get(key) ?? excepted.get(within) ?? excepted.get(component);
    if (exception !== undefined) return { state: 'excepted', reason: exception };
    const pipeline = once.get(component);
    if (pipeline === undefined) return { state: 'missing' };
    return { state: sharedAndSeen.has(shareOf(element)) ? 'shared' : 'missing', reason: pipeline };
  };

  const elements = all.map((one): Measured => {
    const { kind, owner, name, key, file: contract, within, component } = one;
    const { file, line, column } = placeOf(one);
    const count = seen.get(key) ?? 0;
    return { kind, owner, name, key, contract, file, line, column, count, within, component, ...judge(one) };
  });
  const problems = statements.flatMap((one) => {
    const message = faultOf(one, all, seen);
    if (message === undefined) return [];
    const place = placeOf(one);
    const text = openapi.texts.get(place.file) ?? schema.texts.get(place.file) ?? '';
    return [problemAt(place.file, text, place, `coverage-${one.table}`, message)];
  });
  const missing = elements.filter(({ state, kind }) => state === 'missing' && KINDS[kind].demanded);
  return { elements, figures: figuresOf(elements), missing, problems };
}
