import { getHeapStatistics } from 'node:v8';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  type FragmentSpreadNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { BOUNDS } from '../bounds.js';
import type { Call } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import { fairQueue } from '../calls/fair-queue.js';
import { fragmentsOf, measure, nodesWithin } from './cost.js';
import type { PreparedOperation } from './operation-check.js';

export interface Limits {
  depth: number;
  complexity: number;
  /** Also limits repeated fields, because validation compares them in pairs. */
  aliases: number;
  directives: number;
  tokens: number;
  subscribe: number;
}

/**
 * Checks the limits of a document before its validation, in linear time.
 * @param maxAliases differs for anonymous callers
 * @returns one error for each exceeded limit, or one for an unknown fragment
 */
export function checkDocument(document: DocumentNode, limits: Limits, maxAliases = limits.aliases): GraphQLError[] {
  const { aliases, introspectionAliases, directives, unknown } = countNodes(document);
  // Validation compares all spreads before it reports this.
  if (unknown) return [new GraphQLError(`Unknown fragment "${unknown.name.value}".`, { nodes: [unknown] })];
  const maxPairs = pairsOf(limits.aliases + 1);
  const pairs = countPairs(document, maxPairs);
  return [
    (document.tokenCount ?? 0) > limits.tokens && `more than ${limits.tokens} tokens`,
    Math.max(aliases, introspectionAliases) > maxAliases && `more than ${maxAliases} aliases`,
    Math.max(pairs.fields, pairs.introspection) > maxPairs && `more than ${maxPairs} pairs of repeated fields`,
    directives > limits.directives && `more than ${limits.directives} directives`,
  ].flatMap((what) => (what ? [new GraphQLError(`The document has ${what}.`)] : []));
}

/** Checks the limits of a valid operation. Returns one error for each exceeded limit. */
export function checkOperation(
  { schema, document, operation, variableValues }: Omit<PreparedOperation, 'operationName'>,
  limits: Limits,
): GraphQLError[] {
  const measured = measure(schema, document, operation, variableValues);
  return [
    measured.depth > limits.depth && `is deeper than ${limits.depth} levels of fields`,
    measured.cost > limits.complexity && `costs more than ${limits.complexity}`,
  ].flatMap((what) => (what ? [new GraphQLError(`The operation ${what}.`, { nodes: [operation] })] : []));
}

const isIntrospectionField = ({ name }: FieldNode): boolean => name.value.startsWith('__');

/** Includes the fragments that only introspection can contain. */
const isIntrospection = (node: ASTNode): boolean =>
  (node.kind === Kind.FIELD && isIntrospectionField(node)) ||
  (node.kind === Kind.FRAGMENT_DEFINITION && node.typeCondition.name.value.startsWith('__'));

/** Counts in the whole document, including unused parts. Aliases in introspection are counted separately. */
function countNodes(document: DocumentNode) {
  const count = { aliases: 0, introspectionAliases: 0, directives: 0 };
  const fragments = fragmentsOf(document);
  let unknown: FragmentSpreadNode | undefined;
  let introspection = 0;
  visit(document, {
    enter(node) {
      if (isIntrospection(node)) introspection++;
      if (node.kind === Kind.DIRECTIVE) count.directives++;
      if (node.kind === Kind.FRAGMENT_SPREAD && !fragments.has(node.name.value)) unknown ??= node;
      if (node.kind === Kind.FIELD && node.alias) count[introspection > 0 ? 'introspectionAliases' : 'aliases']++;
    },
    leave(node) {
      if (isIntrospection(node)) introspection--;
    },
  });
  return Object.assign(count, { unknown });
}

const pairsOf = (count: number): number => (count * (count - 1)) / 2;

/**
 * Counts the pairs of fields with one response name in one selection, with fragments expanded, because validation
 * compares each pair. Groups that fragments lead to repeatedly count once.
 * @param max stops the count
 */
function countPairs(document: DocumentNode, max: number): { fields: number; introspection: number } {
  const fragments = fragmentsOf(document);
  const used = new Set<string>();
  const seen = new Set<FieldNode | string>();
  const numbers = new Map<FieldNode, number>();
  const count = { fields: 0, introspection: 0 };

  function groupsOf(sets: readonly SelectionSetNode[]): Iterable<FieldNode[]> {
    const groups = new Map<string, FieldNode[]>();
    const expanded = new Set<string>();
    for (const node of nodesWithin(fragments, sets, expanded)) {
      if (node.kind !== Kind.FIELD) continue;
      const name = (node.alias ?? node.name).value;
      const group = groups.get(name);
      if (group) group.push(node);
      else groups.set(name, [node]);
    }
    for (const name of expanded) used.add(name);
    return groups.values();
  }

  function keyOf(group: readonly FieldNode[]): FieldNode | string {
    if (group.length === 1) return group[0] as FieldNode;
    for (const node of group) if (!numbers.has(node)) numbers.set(node, numbers.size);
    const own = group.map((node) => numbers.get(node) as number);
    return own.sort((a, b) => a - b).join();
  }

  function add(root: SelectionSetNode): boolean {
    const rest = [{ sets: [root], introspection: false }];
    for (let next = rest.pop(); next; next = rest.pop()) {
      for (const group of groupsOf(next.sets)) {
        const introspection = next.introspection || isIntrospectionField(group[0] as FieldNode);
        const pairs = pairsOf(group.length);
        if (pairs <= max) {
          const key = keyOf(group);
          if (seen.has(key)) continue;
          seen.add(key);
        }
        const kind = introspection ? 'introspection' : 'fields';
        count[kind] += pairs;
        if (count[kind] > max) return false;
        const sets = group.flatMap(({ selectionSet }) => selectionSet ?? []);
        if (sets.length > 0) rest.push({ sets, introspection });
      }
    }
    return true;
  }

  for (const definition of document.definitions)
    if (definition.kind === Kind.OPERATION_DEFINITION && !add(definition.selectionSet)) return count;
  // Validation compares unused fragments, too.
  for (const [name, fragment] of fragments) if (!used.has(name) && !add(fragment.selectionSet)) return count;
  return count;
}

/** Operations up to this cost do not wait. Their texts have at most 125,000 characters (`TEXT_LENGTH`). */
const SMALL_COST = 250;

/** The cost of a request with several operations, whose results wait for each other. */
const BATCH_COST = 5000;

/** The bytes of the heap limit for which `costUnderWay` holds. */
const HEAP_SHARE = 192 * 1024 * 1024;
const costUnderWay = (): number =>
  BOUNDS.costUnderWay.value * Math.max(1, Math.floor(getHeapStatistics().heap_size_limit / HEAP_SHARE));

/** A request by HTTP, or the call of an operation on a socket. */
type Caller = Pick<Call, 'actor' | 'address'> & Partial<Pick<FastifyRequest, 'raw'>>;

interface WaitingRequest {
  path: readonly string[];
  cost: number;
  begin: () => void;
  refuse: (failure: Failure) => void;
}

/**
 * Lets requests with large operations take turns, because an operation keeps its rows until its result is complete. The
 * cost of an operation bounds its texts.
 */
export function operationQueue({ core }: Pick<FastifyInstance, 'core'>, limit = costUnderWay()) {
  const queue = fairQueue<WaitingRequest>(BOUNDS.operationsWaiting.value);
  let next: WaitingRequest | undefined;
  let underWay = 0;

  const fits = (cost: number): boolean => underWay === 0 || underWay + cost <= limit;

  /** Waits without a place, so that others run meanwhile. */
  async function take({ actor, address, raw }: Caller, cost: number): Promise<void> {
    if (!next && fits(cost)) {
      underWay += cost;
      return;
    }
    let hasTurn = false;
    const waiting = new Promise<void>((begin, refuse) => {
      const displaced = queue.add({ path: [String(actor?.id ?? address)], cost, begin, refuse });
      const reason = 'The service is answering too many large operations. Try again later.';
      displaced?.refuse(new Failure('UNAVAILABLE', reason));
      next ??= queue.take();
    }).then(() => {
      hasTurn = true;
    });
    try {
      await core.seams.limits.places.waitOutside(raw, waiting);
    } catch (error) {
      if (hasTurn) release(cost);
      throw error;
    }
  }

  function release(cost: number): void {
    underWay -= cost;
    while (next && fits(next.cost)) {
      underWay += next.cost;
      next.begin();
      next = queue.take();
    }
  }

  /** Returns the turn of a request. Its large operations run one after the other. */
  return (caller: Caller, isBatch = false) => {
    let own = 0;
    let turn: Promise<void> | undefined;
    let last: Promise<void> | undefined;
    return {
      /** Waits for the turn and for the operation before. Returns a function that ends the operation. */
      async enter({ schema, document, operation, variableValues }: PreparedOperation): Promise<() => void> {
        const { cost } = measure(schema, document, operation, variableValues);
        if (cost <= SMALL_COST) return () => {};
        const before = last;
        let end = () => {};
        last = new Promise((resolve) => {
          end = resolve;
        });
        own ||= isBatch ? BATCH_COST : cost;
        turn ??= take(caller, own);
        await turn;
        await before;
        return end;
      },
      /** Ends the turn. */
      leave: (): void =>
        void turn?.then(
          () => release(own),
          () => {},
        ),
    };
  };
}

export type Turn = ReturnType<ReturnType<typeof operationQueue>>;
