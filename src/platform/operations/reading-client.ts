import { authenticated, type Call } from '../calls/access.js';
import { callLog } from './call-log.js';
import { guardedClient } from './guarded-client.js';
import type { Db } from './model.js';
import type { OperationServices } from './operation-services.js';

/** @throws TypeError for a write of an operation that only reads */
export const refuseToWrite = (): never => {
  throw new TypeError('Only the root field of a mutation and an operation with another method than GET can write.');
};

/** Returns a client that reads what the caller may read, outside of any operation that writes. */
export const readingClient = ({ client, models, streams }: OperationServices, call: Call): Db =>
  guardedClient(
    models,
    streams,
    {
      call,
      action: '',
      actor: () => authenticated(call),
      reader: async () => client,
      transaction: refuseToWrite,
      onCommit: refuseToWrite,
      belonging: () => undefined,
      permitted: () => undefined,
      checkPrecondition: () => {},
    },
    callLog('The operation', false),
  );
