import type { Static, TObject, TProperties } from '@sinclair/typebox';
import type { Application, ApplicationPlatform, OpenedPart, Part, Setting } from '../core/application.js';
import { outsideService } from '../core/calls/outside.js';
import { type Cursors, cursors } from '../core/calls/rows.js';
import { accessOf } from '../core/operations/call-transaction.js';
import { modelProblems } from '../core/operations/check.js';
import { pageReader, systemClient } from '../core/operations/guarded-client.js';
import { HIDDEN_ACCOUNT_MEMBERS } from '../core/operations/model.js';
import { declaredModels } from '../core/operations/model-data.js';
import type { StagedServices } from '../core/operations/operate.js';
import type { Config } from '../core/variables.js';
import { dataModel, type PrismaClient } from '../database/client.js';
import type { IdentityServices } from '../parts/identity/index.js';

/**
 * The platform's part of the `services` of handlers. They use the database through `db` only.
 * @typeParam Parts the parts of an application that leaves out `identity`
 * @example
 * export const route = routeFor<HandlerServices & OwnServices>();
 */
export type HandlerServices<Parts extends readonly unknown[] = [Part<'identity', IdentityServices>]> = {
  readonly cursors: Cursors;
} & ServicesOf<Parts>;
type ServicesOf<Parts> = Parts extends readonly [Part<infer _Name, infer Services>, ...infer Others]
  ? Services & ServicesOf<Others>
  : unknown;

/**
 * The services of the platform and of the application. Tests receive it as `services` of `testService`.
 * @example
 * const tokens = await service.services.sessions.login(call, { email, password });
 */
export interface PlatformServices extends ApplicationPlatform, IdentityServices, Pick<HandlerServices, 'cursors'> {
  readonly client: PrismaClient;
  readonly operations: StagedServices;
  /** The `services` of handlers. */
  readonly handlers: object;
}

/** Returns the services that the core, the parts and the application give to operations. */
export async function platformServices(
  application: Application,
  { config, core, database, outages, now, secrets, report }: Setting,
  opened: readonly OpenedPart[],
): Promise<PlatformServices> {
  const { policy, models: ownModels = [] } = application;
  const { client, generation } = database;
  // Without this feature of Prisma, `undefined` in a `where` matches every row.
  const features = (client as { readonly _previewFeatures?: readonly string[] })._previewFeatures;
  if (!features?.includes('strictUndefinedChecks'))
    throw new Error('Add strictUndefinedChecks to `previewFeatures` in prisma/schema.prisma, and run npm run build.');
  // Hidden without the part of accounts too.
  const hidden = { User: { hidden: HIDDEN_ACCOUNT_MEMBERS } };
  const ofParts = Object.assign(hidden, ...opened.map(({ models }) => models));
  const models = declaredModels(ownModels, dataModel, ofParts, modelProblems(policy, ownModels));
  const { idempotency, jobs, live } = core.seams;
  const operations: StagedServices = {
    client,
    stages: {},
    idempotency,
    models,
    streams: await live.streams(models),
    pages: pageReader(now),
    generation: generation.current,
    onCommitFault: (operation, error) => report({ operation }, error, 'work after a commit failed'),
  };
  const platform: ApplicationPlatform = {
    now,
    production: config.production,
    environment: <Own extends TProperties>(variables: Own) => {
      const values = Object.keys(variables).map((name) => [name, config[name as keyof Config]]);
      return Object.fromEntries(values) as Static<TObject<Own>>;
    },
    transact: systemClient(operations),
    outside: (name, options) => outsideService(name, outages.dependency(name), options),
    continuation: {
      finish: async (db, workId, answer, ownerId) =>
        idempotency.finish(await accessOf(db).transaction(), workId, answer, ownerId),
      abandon: async (db, workId) => idempotency.abandon(await accessOf(db).transaction(), workId),
    },
    jobs: { ...jobs, announce: async (db, name, at) => jobs.announce(await accessOf(db).transaction(), name, at) },
  };
  const handlers: HandlerServices = Object.assign(
    { cursors: cursors(secrets, generation.current) },
    ...opened.map((part) => part.services),
  );
  const own = application.services(platform);
  const [taken] = Object.keys(own).filter((name) => name in handlers);
  if (taken !== undefined)
    throw new Error(`The application's service "${taken}" has the name of a service of the platform. Rename it.`);
  return { ...platform, ...handlers, client, operations, handlers: { ...handlers, ...own } };
}
