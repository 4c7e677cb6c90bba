/** A Prisma client for PostgreSQL whose calls cost as much as named statements of `pg`. See README.md. @module */

export { recordingsOf, type Statistics, statisticsOf } from './calls.js';
export {
  type Adapt,
  type Connection,
  type PoolConnection,
  type PoolLike,
  pooledConnection,
  type Result,
  type Statement,
  type Types,
  writeTogether,
} from './connection.js';
export type { DataModel, Field, Model, Relation } from './data-model.js';
export { type Options, preparedClient } from './prepared-client.js';
