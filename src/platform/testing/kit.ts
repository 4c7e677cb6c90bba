import type { Application } from '../application.js';
import type { ConformanceOptions } from './conformance-options.js';
import { type TestService, type TestServiceOptions, testService } from './service.js';

/** Starts a service for some cases, with somebody of each role, and ends it after them. */
export async function withService(
  application: Application,
  { open, ...options }: ConformanceOptions,
  settings: TestServiceOptions,
  cases: (service: TestService) => Promise<void>,
): Promise<void> {
  const opened = settings.database ? undefined : await open?.();
  const database = settings.database ?? opened;
  const service = await testService(application, { ...options, ...settings, ...(database && { database }) });
  try {
    await cases(service);
  } finally {
    await service.close();
    await opened?.close();
  }
}
