import type { OpenApiSource } from '../model/openapi-source.js';
import { type Change, FILES } from './change.js';
import { judged, type Locate } from './judged.js';
import { restForm } from './rest-form.js';
import { operationsIn } from './rest-operations.js';
import { REST_RULES } from './rest-rules.js';
import { afterSunset } from './sunset.js';

const locator =
  ({ placeOf }: OpenApiSource): Locate =>
  (path) => {
    const { line, column } = placeOf(path, true);
    return { line, column };
  };

/** What is gone with its scheme is told once, with the scheme. */
function withScheme(changes: readonly Change[]): Change[] {
  const gone = changes.filter(({ id }) => /^rest:security:[^:]+:removed$/.test(id));
  const nameOf = ({ id }: Change) => id.split(':')[2];
  const under = (change: Change) => gone.find((scheme) => change.id.endsWith(`:security.${nameOf(scheme)}:removed`));
  return changes
    .filter((change) => under(change) === undefined)
    .map((change) => {
      if (!gone.includes(change)) return change;
      const elements = changes.filter((one) => under(one) === change).flatMap((one) => one.elements);
      return { ...change, elements };
    });
}

/** `GET /api/v1/users/{}` by operationId. */
export const addressesIn = ({ current }: OpenApiSource): [string, string][] =>
  operationsIn({ ...current }).map(({ id, address }) => [id, address]);

/**
 * What changed between two versions of openapi.yaml, both of which the check has passed. `now` decides which sunsets have
 * passed. In no order.
 */
export function restChanges(before: OpenApiSource, after: OpenApiSource, now: Date): Change[] {
  const [old, current] = [{ ...before.current }, { ...after.current }];
  const versions = [
    { form: restForm(old), locate: locator(before) },
    { form: restForm(current, old), locate: locator(after) },
  ] as const;
  return withScheme(judged('rest', FILES.rest, ...versions, afterSunset(REST_RULES, now)));
}
