/** Makes the way of each request and operation from the table of stages: arrays of what its stages returned. @module */

import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Member, OperationPlan, Running } from './operations/running.js';
import { HOOKS, type Hook, type OperationSection, type Owner, rows, type Section, type Transport } from './order.js';
import type {
  CallPlan,
  Checked,
  Needing,
  PackageStage,
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
    /** The steps of the route, for each group of stages that is one hook. */
    ways?: readonly (readonly RequestStep[])[];
  }
}

/** Not by `instanceof`: the promises of Prisma are none, and begin when `then` is called. */
const waits = (made: unknown): made is PromiseLike<unknown> =>
  typeof made === 'object' && made !== null && typeof (made as { then?: unknown }).then === 'function';

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
 * @param had what earlier sections of the operation have put
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
    // The one cast: that the operation has what the step needs is known here, and not to the compiler.
    return ('needs' in made ? made.run : made) as Step<Running>;
  });

/** Adds the hooks of the stages. Call it before the routes: each composes its way when it is added. */
export async function registerStages(app: FastifyInstance, stages: Stages, production: boolean): Promise<void> {
  const groups: RequestStage[][] = [];
  const packages = new Set<string>();
  for (const hook of HOOKS) {
    let group: RequestStage[] = [];
    const endGroup = () => {
      if (group.length > 0) app.addHook(hook as 'onRequest', hookOf(hook, groups.push(group) - 1));
      group = [];
    };
    for (const { name, package: from, outsideProduction } of rows.filter(({ section }) => section === hook)) {
      const stage = stages[name as keyof Stages];
      if (stage === undefined || (production && outsideProduction)) continue;
      if (from === undefined) group.push(stage as RequestStage);
      else if (!packages.has(from)) {
        endGroup();
        packages.add(from);
        await (stage as PackageStage).register(app);
      }
    }
    endGroup();
  }
  const waysOf = (route: RouteConfig) => groups.map((group) => group.flatMap((stage) => stage(route) ?? []));
  const withoutRoute = waysOf({});
  app.addHook('onRoute', (route) => {
    const config = { ...route.config, url: route.url };
    route.config = Object.assign(config, { ways: waysOf(config) });
  });

  /** Returns a hook of Fastify that runs the steps of a group until one of them refuses or answers. */
  function hookOf(hook: Hook, group: number): onRequestHookHandler {
    const begin = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
      // Fastify computes `config` at each access.
      request.route ??= request.routeOptions.config;
      const way = (request.route.ways ?? withoutRoute)[group] as readonly RequestStep[];
      let at = 0;
      function next(): void {
        try {
          for (let step = way[at]; step !== undefined; step = way[at]) {
            at += 1;
            const pending = step(request, reply);
            if (pending === reply) return;
            if (waits(pending)) {
              pending.then(next, done);
              return;
            }
          }
        } catch (error) {
          done(error as Error);
          return;
        }
        done();
      }
      next();
    };
    return hook === 'preParsing' || hook === 'onSend'
      ? (((request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: () => void) =>
          begin(request, reply, done)) as never)
      : begin;
  }
}
