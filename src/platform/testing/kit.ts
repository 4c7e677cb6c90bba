import type { Application } from '../application.js';
import type { Cases, ConformanceOptions } from './conformance-options.js';
import { type TestService, type TestServiceOptions, testService } from './service.js';

/**
 * Starts a service for some cases, with somebody of each role, and ends it after them. What breaks the contract is told as a
 * failure of the cases.
 * @param cases are told what the team says, too: whose services it knows, the cases need not
 */
export async function withService<Own extends object>(
  t: Cases,
  application: Application<Own>,
  options: ConformanceOptions<Own>,
  settings: TestServiceOptions,
  cases: (service: TestService, options: ConformanceOptions) => Promise<void>,
): Promise<void> {
  const { open, ...ofService } = options;
  const opened = settings.database ? undefined : await open?.();
  const database = settings.database ?? opened;
  const service = await testService(application, {
    onBreach: (breach) => t.ok(false, breach),
    ...ofService,
    ...settings,
    ...(database && { database }),
  });
  try {
    await cases(service as unknown as TestService, options as unknown as ConformanceOptions);
  } finally {
    await service.close();
    await opened?.close();
  }
}
