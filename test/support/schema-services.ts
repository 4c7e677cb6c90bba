import type { Model } from '../../src/platform/core/operations/model.js';
import { declaredModels } from '../../src/platform/core/operations/model-data.js';
import type { StagedServices } from '../../src/platform/core/operations/operate.js';
import { dataModel } from '../../src/platform/database/client.js';

/** The services of a schema whose routes do not run. */
export const schemaServices = (models: readonly Model[]): StagedServices =>
  ({ models: declaredModels(models, dataModel), streams: new Map(), stages: {} }) as never;
