/** A Prisma client for PostgreSQL whose calls cost as much as named statements of `pg`. See README.md. @module */

export { recordingsOf, type Statistics, statisticsOf } from './calls.js';
export {
  type Connection,
  isBroken,
  type PoolConnection,
  type PoolLike,
  pooledConnection,
  type Reading,
  type Result,
  type Statement,
  submit,
  writeTogether,
} from './connection.js';
export type { DataModel, Field, Model, Relation } from './data-model.js';
export { boundedClient, LazyCall, type Options, preparedClient } from './prepared-client.js';
export { delegateName } from './recorder.js';
