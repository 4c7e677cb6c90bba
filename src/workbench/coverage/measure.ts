import type { OpenApiDocument } from '@accord-api/platform/contract/document';
import {
  type ContractFile,
  type Element,
  type ElementKind,
  KINDS,
  type Observations,
} from '@accord-api/testing/coverage/elements';
import { restElements } from '@accord-api/testing/coverage/rest';
import { sdlElements } from '@accord-api/testing/coverage/schema-parts';
import type { GraphQLArgument, GraphQLField, GraphQLInputField, GraphQLSchema } from 'graphql';
import type { Contracts } from '../model/contracts.js';
import { isOfPart } from '../model/part-documents.js';
import { type FilePlace, type Problem, problemAt } from '../model/problems.js';
import { argumentsOf, placeOf as placeOfNode } from '../model/sdl-source.js';

interface Statement extends Pick<Element, 'file' | 'at'> {
  table: 'except' | 'once';
  /**
   * The key of an element, whose parts are included, or the name of a response component. `except`: no test needs to
   * see it. `once`: one operation with the component counts for all.
   */
  subject: string;
  reason: string | undefined;
}

const sentence = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

type Defined = GraphQLField<unknown, unknown> | GraphQLInputField | GraphQLArgument;

function ofSdl(subject: string, { astNode }: Defined): Statement[] {
  const directives = astNode?.directives?.filter(({ name }) => name.value === 'coverage') ?? [];
  return directives.map((directive) => {
    const reason = sentence(argumentsOf(directive)['except']);
    return { table: 'except', subject, reason, file: 'schema.graphql', at: placeOfNode(astNode?.name) };
  });
}

/** Lists the exceptions at fields, arguments and input fields. */
const statementsOfSdl = (schema: GraphQLSchema): Statement[] =>
  Object.values(schema.getTypeMap()).flatMap((type) =>
    Object.values('getFields' in type ? type.getFields() : {}).flatMap((field) => {
      const key = `${type.name}.${field.name}`;
      const args: readonly GraphQLArgument[] = 'args' in field ? field.args : [];
      return [...ofSdl(key, field), ...args.flatMap((arg) => ofSdl(`${key}(${arg.name})`, arg))];
    }),
  );

/**
 * Reads the exceptions of both contracts: the tables `except` and `once` of the extension `x-coverage` in
 * `openapi.yaml`, by keys such as `getUser 409` and names of response components, and the directive `@coverage(except:
 * "…")` in `schema.graphql`.
 */
function statementsOf(document: OpenApiDocument, schema: GraphQLSchema): Statement[] {
  const tables = (document['x-coverage'] ?? {}) as Partial<Record<Statement['table'], Record<string, unknown>>>;
  const ofTable = (table: Statement['table']) =>
    Object.entries(tables[table] ?? {}).map(([subject, given]): Statement => {
      const [reason, at] = [sentence(given), ['x-coverage', table, subject]];
      return { table, subject, reason, file: 'openapi.yaml', at };
    });
  return [...ofTable('except'), ...ofTable('once'), ...statementsOfSdl(schema)];
}

function faultOf(
  { table, subject, reason }: Statement,
  elements: readonly Element[],
  seen: Observations,
): string | undefined {
  if (reason === undefined) return `"${subject}" has no reason. Add one.`;
  const uses = elements.filter(({ kind, component }) => kind === 'status' && component === subject);
  if (table === 'once')
    return uses.length > 1 ? undefined : `"${subject}" is no response component of several operations.`;
  // A seen element can have bounds that no test sees.
  const named = elements.filter(({ kind, key, within }) => key === subject || (kind === 'bound' && within === subject));
  const excepted = uses.length > 0 ? uses : named;
  if (excepted.length === 0) return `"${subject}" is neither an element of the contract nor a response component.`;
  // By chance, tests may see a rare component of some operations.
  return excepted.every(({ key }) => seen.has(key))
    ? `"${subject}" was seen by a test: remove the exception.`
    : undefined;
}

/** `shared`: the tests saw its component with another operation. */
export type State = 'seen' | 'shared' | 'excepted' | 'missing';

export interface Measured extends Pick<Element, 'kind' | 'owner' | 'name' | 'key' | 'within' | 'component'> {
  contract: ContractFile;
  file: string;
  state: State;
  count: number;
  line: number;
  column: number;
  reason?: string;
}

export interface Figures {
  kind: ElementKind;
  states: Record<State, number>;
  total: number;
  /** The percentage of elements that are not missing. */
  percent: number;
}

export interface Coverage {
  elements: Measured[];
  /** By kind, without kinds that the contracts do not have. */
  figures: Figures[];
  /** The missing elements, in the order of the contracts. */
  missing: Measured[];
  problems: Problem[];
}

/** Returns a percentage, rounded down to a tenth, so that only complete coverage is 100 %. */
export const percentOf = (covered: number, total: number): number => Math.floor((covered * 1000) / total) / 10;

function figuresOf(elements: readonly Measured[]): Figures[] {
  return (Object.keys(KINDS) as ElementKind[]).flatMap((kind) => {
    const states = { seen: 0, shared: 0, excepted: 0, missing: 0 };
    const own = elements.filter((element) => element.kind === kind);
    for (const { state } of own) states[state] += 1;
    const percent = percentOf(own.length - states.missing, own.length);
    return own.length === 0 ? [] : { kind, states, total: own.length, percent };
  });
}

/**
 * Compares observations with the contracts.
 * @param contracts valid ones; throws if they cannot be parsed
 */
export function measureCoverage({ openapi, schema }: Contracts, seen: Observations): Coverage {
  const sdl = sdlElements(schema.schema).map((element) => ({ ...element, at: placeOfNode(element.node?.name) }));
  const all: Element[] = [...restElements(openapi.written), ...sdl];
  const statements = statementsOf(openapi.written, schema.schema);
  const placeOf = ({ at }: Pick<Element, 'at'>): FilePlace => {
    if (!('line' in at)) return openapi.placeOf(at, true);
    return { ...at, file: at.file ?? schema.file };
  };

  const reasons = (table: 'except' | 'once') =>
    new Map(statements.flatMap((row) => (row.table === table && row.reason ? [[row.subject, row.reason]] : [])));
  const [excepted, once] = [reasons('except'), reasons('once')];
  const sharedAndSeen = new Set(all.filter(({ key }) => seen.has(key)).map(({ component }) => component));

  const judge = (element: Element): Pick<Measured, 'state' | 'reason'> => {
    const { key, within = '', component = '' } = element;
    if (seen.has(key)) return { state: 'seen' };
    const exception = excepted.get(key) ?? excepted.get(within) ?? excepted.get(component);
    if (exception !== undefined) return { state: 'excepted', reason: exception };
    const pipeline = once.get(component);
    if (pipeline === undefined) return { state: 'missing' };
    return { state: sharedAndSeen.has(component) ? 'shared' : 'missing', reason: pipeline };
  };

  const elements = all.map((element): Measured => {
    const { kind, owner, name, key, file: contract, within, component } = element;
    const { file, line, column } = placeOf(element);
    const count = seen.get(key) ?? 0;
    return { kind, owner, name, key, contract, file, line, column, count, within, component, ...judge(element) };
  });
  const problems = statements.flatMap((statement) => {
    const message = faultOf(statement, all, seen);
    if (message === undefined) return [];
    const place = placeOf(statement);
    // The document of a part states exceptions for every contract.
    if (isOfPart(place.file)) return [];
    const text = openapi.texts.get(place.file) ?? schema.texts.get(place.file) ?? '';
    return [problemAt(place.file, text, place, `coverage-${statement.table}`, message)];
  });
  const missing = elements.filter(({ state }) => state === 'missing');
  return { elements, figures: figuresOf(elements), missing, problems };
}
