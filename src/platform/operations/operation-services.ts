import type { PrismaClient } from '../database/client.js';
import type { Idempotency } from '../idempotency/idempotency.js';
import type { DeclaredModels } from './model-data.js';
import type { ModelStreams } from './model-streams.js';
import type { PageReader } from './pages.js';

/** What all operations of a process share. */
export interface OperationServices {
  readonly client: PrismaClient;
  readonly idempotency: Pick<Idempotency, 'recall' | 'claim' | 'keep'>;
  readonly models: DeclaredModels;
  readonly streams: ModelStreams;
  readonly pages: PageReader;
  /** Is told of an error of work that an operation does after its commit (`onCommit`). */
  readonly onCommitFault: (operation: string, error: unknown) => void;
}
