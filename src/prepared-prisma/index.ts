/** A Prisma client for PostgreSQL whose calls cost as much as named statements of `pg`. See README.md. @module */

export { recordingsOf, type Statistics, statisticsOf } from './calls.js';
export {
  type Adapt,
  type Connection,
  type PoolConnection,
  type PoolLike,
  pooledConnection,
  send,
  writeTogether,
} from './connection.js';
export type { DataModel, Field, Model, Relation } from './data-model.js';
export { type ManualTransaction, type Options, preparedClient } from './prepared-client.js';
export { type Done, NO_RESULT, type Statement, type Types } from './statement.js';
