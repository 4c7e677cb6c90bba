import type { ApplicationPlatform } from '@accord-api/platform';
import { loans } from './loans.js';

export type OwnServices = ReturnType<typeof ownServices>;

/** The business rules that operations share: functions of `db`, the Prisma client of the call. */
export const ownServices = (_platform: ApplicationPlatform) => ({ loans });
