import type { Application } from '@accord-api/platform/internals/application';
import { rolesOf } from '@accord-api/platform/internals/calls/access';
import type { BoundTried } from './bound-values.js';
import type { Cases, ConformanceOptions } from './conformance-options.js';
import { everyGraphqlBound } from './graphql-bounds.js';
import { withService } from './kit.js';
import { everyRestBound } from './request-parts.js';
import { oneOfEachRole } from './service.js';

/**
 * Each bound that the contracts put on what a request may send, from both sides: a sound request with the last value that is
 * within is not refused as unreadable, and one with the next value, which is beyond, is refused. What the contract excepts from
 * its coverage is not tried.
 */
export async function everyBound<Own extends object>(
  t: Cases,
  application: Application<Own>,
  team: ConformanceOptions<Own> = {},
): Promise<void> {
  // The least id is that of somebody who asks nothing.
  const people = { first: [...rolesOf(application.policy)][0] as string, ...oneOfEachRole(application) };
  await withService(t, application, team, { people }, async (service, options) => {
    const tried = new Set<string>();
    const sent: BoundTried = (t, key, side, status, told) => {
      tried.add(key);
      // Beyond, and nowhere else, a request is refused; within, only the rules of the service may have something against it.
      const isRight = side === 'beyond' ? status === 400 || status === 422 : status < 500 && status !== 400;
      t.ok(isRight, `${key}: ${status} ${told}`);
    };
    // REST comes last, for it deletes what has the least id.
    await t.test('GraphQL: each bound, from both sides', (t) => everyGraphqlBound(t, service, options, sent));
    await t.test('REST: each bound, from both sides', (t) => everyRestBound(t, service, options, sent));
    const vain = Object.keys(options.bounds ?? {}).filter((key) => options.only === undefined && !tried.has(key));
    for (const key of vain) t.ok(false, `bounds: the contracts demand no ${key}`);
  });
}
