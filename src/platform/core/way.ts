/** Composes the steps of each route and operation from the table of stages. @module */

import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler, RouteHandlerMethod } from 'fastify';
import { waits } from './calls/schedulers.js';
import type { Member, OperationPlan, Running } from './operations/running.js';
import {
  HOOKS,
  type Hook,
  type OperationSection,
  type Owner,
  type RequestSection,
  rows,
  type Section,
  type Transport,
} from './order.js';
import type {
  CallPlan,
  Checked,
  Needing,
  RequestStage,
  RequestStep,
  RouteConfig,
  StagesOf,
  Weighed,
} from './stages.js';

/** The stages of the core and of the parts of an application. */
export type Stages = Partial<StagesOf<Owner>>;
type Step<Subject> = (subject: Subject) => unknown;
type AnyStage = (plan: unknown) => Step<never> | Needing<Member, Step<never>> | undefined;

declare module 'fastify' {
  interface FastifyContextConfig {
    ways?: Ways;
  }
}

/** Runs steps until one answers. Returns a promise only if one waits. @returns true if a step has answered */
export function walk<Subject>(way: readonly Step<Subject>[], subject: Subject, from = 0): boolean | Promise<boolean> {
  for (let at = from; at < way.length; at += 1) {
    const made = way[at]?.(subject);
    if (made === 'answer') return true;
    if (waits(made)) return Promise.resolve(made).then((late) => late === 'answer' || walk(way, subject, at + 1));
  }
  return false;
}

const madeBy = (stages: Stages, section: Section, on: Transport | undefined, plan: unknown) =>
  rows
    .filter((row) => row.section === section && (on === undefined || row.on.includes(on)))
    .flatMap(({ name, puts }) => {
      const made = (stages as Record<string, AnyStage | undefined>)[name]?.(plan);
      return made === undefined ? [] : { name, puts, made };
    });

interface Subjects {
  message: Weighed;
  document: object;
  ready: { readonly request: FastifyRequest };
  'before write': Checked;
}

/** Returns the steps of a section for the operations of one kind. */
export const wayOf = <S extends keyof Subjects, Subject extends Subjects[S]>(
  stages: Stages,
  section: S,
  plan: { on: Transport } & Partial<CallPlan>,
): Step<Subject>[] => madeBy(stages, section, plan.on, plan).map(({ made }) => made as Step<Subject>);

/**
 * Returns the steps of an operation in a section.
 * @param had the members that earlier sections of the operation have put
 * @throws Error for a stage that needs what no stage of the operation puts
 */
export const wayOfOperation = (
  stages: Stages,
  section: OperationSection,
  plan: OperationPlan,
  had: Set<Member>,
): Step<Running>[] =>
  madeBy(stages, section, undefined, plan).map(({ name, puts, made }) => {
    const missing = 'needs' in made ? made.needs.find((member) => !had.has(member)) : undefined;
    if (missing !== undefined)
      throw new Error(`${plan.name}: the stage ${name} needs \`${missing}\`, which no stage of the operation puts.`);
    if (puts !== undefined) had.add(puts);
    // The compiler does not know that the operation has what the step needs.
    return ('needs' in made ? made.run : made) as Step<Running>;
  });

/** The steps of a route, by the section of their stages; of an operation, also `whole`: all before the answer, and the handler. */
type Ways = Readonly<Record<RequestSection, readonly RequestStep[]> & { whole?: readonly RequestStep[] }>;
const SECTIONS_OF_REQUESTS: readonly RequestSection[] = [...HOOKS, 'validation'];

/**
 * Registers the stages of requests. The function of an operation runs all its stages before the answer, and its handler. Other routes,
 * and addresses without one, run their stages in the hooks of Fastify. Call it before the routes: each composes its way when it is added.
 * @param answerOthers answers at addresses without a route
 */
export async function registerStages(
  app: FastifyInstance,
  stages: Stages,
  { production, answerOthers }: { production: boolean; answerOthers: RequestStep },
): Promise<void> {
  const stepsIn = (section: RequestSection, route: RouteConfig): RequestStep[] =>
    rows
      .filter((row) => row.section === section && !(production && row.outsideProduction))
      .flatMap(({ name }) => (stages[name as keyof Stages] as RequestStage | undefined)?.(route) ?? []);
  const waysOf = (route: RouteConfig) =>
    Object.fromEntries(SECTIONS_OF_REQUESTS.map((section) => [section, stepsIn(section, route)])) as unknown as Ways;

  const withoutRoute = waysOf({});
  app.addHook('onRoute', (route) => {
    const config = { ...route.config, url: route.url };
    const ways = waysOf(config);
    const isOperation = config.plan !== undefined;
    const whole = isOperation
      ? [...BEFORE_HANDLER.flatMap((section) => ways[section]), route.handler as RequestStep]
      : [];
    route.config = Object.assign(config, { ways: { ...ways, whole } });
    if (isOperation) route.handler = wholeWay(config, whole);
    for (const hook of (isOperation ? AFTER_HANDLER : HOOKS).filter((section) => ways[section].length > 0))
      Object.assign(route, { [hook]: [hookOf(hook, withoutRoute), ...[route[hook] ?? []].flat()] });
  });
  await app.register(async (scope) => {
    for (const hook of HOOKS) scope.addHook(hook as 'onRequest', hookOf(hook, withoutRoute));
    scope.setNotFoundHandler(answerOthers as never);
  });
}

const BEFORE_HANDLER = ['onRequest', 'preParsing', 'preValidation', 'validation', 'preHandler'] as const;
const AFTER_HANDLER = ['onSend', 'onResponse'] as const;

/** Returns the function of an operation. A failure is sent as that of a handler of Fastify. */
function wholeWay(route: RouteConfig, way: readonly RequestStep[]): RouteHandlerMethod {
  return (request, reply) => {
    request.route = route;
    run(way, request, reply, (error) => {
      if (error === undefined) return;
      if (reply.sent) request.log.error({ err: error }, 'a request failed after its answer');
      else reply.send(error);
    });
  };
}

/** Returns a hook of Fastify that runs the steps of the route. @param others the steps of a request without a route */
const hookOf = (hook: Hook, others: Ways): onRequestHookHandler => {
  const begin = (request: FastifyRequest, reply: FastifyReply, done: Done): void => {
    // Fastify computes `config` at each access.
    request.route ??= request.routeOptions.config;
    run((request.route.ways ?? others)[hook], request, reply, done);
  };
  return hook === 'preParsing' || hook === 'onSend'
    ? (((request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: Done) =>
        begin(request, reply, done)) as never)
    : begin;
};

type Done = (error?: Error) => void;

/** Fastify would send anything else that a handler throws as its answer. */
const errorOf = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error('What was thrown is no error.', { cause: thrown });

/** Runs steps until one refuses or answers. A step that returns the reply has answered. */
function run(way: readonly RequestStep[], request: FastifyRequest, reply: FastifyReply, done: Done, from = 0): void {
  try {
    for (let at = from; at < way.length; at += 1) {
      const pending = way[at]?.(request, reply);
      if (pending === reply) return;
      if (waits(pending)) {
        pending.then(
          () => {
            // The time limit may have answered meanwhile. The steps of `onSend` follow that answer.
            const isAnswered = reply.sent && request.route.ways?.whole === way;
            if (!isAnswered) run(way, request, reply, done, at + 1);
          },
          (thrown) => done(errorOf(thrown)),
        );
        return;
      }
    }
  } catch (thrown) {
    done(errorOf(thrown));
    return;
  }
  done();
}
