/** The form of each stage, by its section in the table. @module */

import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import type { Issues } from './calls/errors.js';
import type { Member, OperationPlan, Running } from './operations/running.js';
import type { Owner, RequestSection, Section, Sections, StageRow, Transport } from './order.js';

/**
 * Runs a stage of a request. It throws to refuse, returns the reply if it has sent a response, or returns a promise. After any other
 * result, the next stage begins in the same turn of the event loop.
 */
export type RequestStep = (request: FastifyRequest, reply: FastifyReply) => unknown;
/** The configuration of a route; empty for an address without a route. */
export type RouteConfig = Readonly<FastifyContextConfig & { url?: string }>;
export type RequestStage = (route: RouteConfig) => RequestStep | undefined;

/** The properties of an operation before its request; of GraphQL, the properties of all operations of a kind. */
export interface CallPlan {
  readonly on: Transport;
  readonly writes: boolean;
  readonly credentialsInBody: boolean;
}
/** The part of a request that one call of `enforce` checks. */
export interface Checked {
  readonly request: FastifyRequest;
  readonly contentIssues: () => Issues;
}

/** Something that relies on members. An operation that lacks one of them does not start. */
export interface Needing<Has extends Member, Step> {
  readonly needs: readonly Has[];
  readonly run: Step;
}
export const needs = <const Has extends Member, Made>(
  needs: readonly Has[],
  run: (running: Running<Has>) => Made,
): Needing<Has, typeof run> => ({ needs, run });

/** The units for which a request counts. */
export interface Weight {
  readonly operations: number;
  /** For an address: the cost of reading the request, before the caller is known. */
  readonly cost: number;
}
/** A message of GraphQL. */
export interface Weighed {
  readonly request: FastifyRequest;
  readonly weight: Weight;
}

type Stage<Plan, Subject> = (plan: Plan) => ((subject: Subject) => unknown) | undefined;
/** An answer ends the way. */
// biome-ignore lint/suspicious/noConfusingVoidType: a block without `return` is a step.
type Made<Puts> = [Puts] extends [never] ? undefined | void : [Puts] extends ['answer'] ? Puts | undefined : Puts;
type Step<Has extends Member, Puts> = (running: Running<Has>) => Made<Puts> | PromiseLike<Made<Puts>>;
type OperationStage<Has extends Member, Puts> = (
  plan: OperationPlan,
) => Step<never, Puts> | Needing<Has, Step<Has, Puts>> | undefined;

type InOperation = readonly [
  ...Sections['before effect'],
  ...Sections['in turn'],
  ...Sections['locks'],
  ...Sections['load'],
];
type PutsOf<R> = R extends readonly [...unknown[], { readonly puts: infer Puts extends Member }] ? Puts : never;
/** The members that a stage may need: an earlier row of the core or of its own part sets them. */
type Earlier<Name, By, Rows = InOperation, Had extends Member = never> = Rows extends readonly [
  infer R extends StageRow,
  ...infer Rest,
]
  ? R[0] extends Name
    ? Had
    : Earlier<Name, By, Rest, R[1] extends By ? Had | PutsOf<R> : Had>
  : never;

type StageIn<S extends Section, R extends StageRow> = S extends RequestSection
  ? RequestStage
  : S extends 'message'
    ? Stage<{ on: Transport }, R[1] extends 'core' ? never : Weighed>
    : S extends 'document'
      ? Stage<{ on: Transport }, never>
      : S extends 'ready'
        ? Stage<CallPlan, R[1] extends 'core' ? never : { readonly request: FastifyRequest }>
        : S extends 'before write'
          ? Stage<{ on: Transport }, Checked>
          : OperationStage<Earlier<R[0], R[1] | 'core'>, PutsOf<R>>;
/** The rows with code of ours: not what Node and Fastify run. */
type RowsOf<S extends Section> = S extends 'incoming' | 'routing' ? never : Sections[S][number];
type Given<S extends Section, O extends Owner> = {
  readonly [R in RowsOf<S> as R[1] extends O ? R[0] : never]: StageIn<S, R>;
};
type Intersected<Union> = (Union extends unknown ? (value: Union) => void : never) extends (value: infer All) => void
  ? All
  : never;
/** The stages of a part, or of the core: exactly the rows that name it. */
export type StagesOf<O extends Owner> = Intersected<{ [S in Section]: Given<S, O> }[Section]>;
