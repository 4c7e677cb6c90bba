import type { OpenApiSource } from '../model/openapi-source.js';
import { type Change, FILES } from './change.js';
import { type Difference, differences } from './differences.js';
import type { Fact, Form, Spot } from './form.js';
import { judged, type Locate } from './judged.js';
import { restForm } from './rest-form.js';
import { operationsIn, pairsOf } from './rest-operations.js';
import { REST_RULES } from './rest-rules.js';
import { schemaComparison } from './schema-differences.js';
import { securityDifferences } from './security-rules.js';
import { rootSpot } from './spot.js';
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

/** The requests by operationId: `GET /api/v1/users/{}` with its method and its path. */
export const requestsIn = ({ current }: OpenApiSource): ReturnType<typeof operationsIn> => operationsIn({ ...current });

/** What differs in what both versions have, where that is more than a value. */
function insides(before: Form, after: Form): Difference[] {
  const compare = schemaComparison();
  return [...after.facts].flatMap(([path, fact]) => {
    const known = before.facts.get(path);
    if (known?.requirements !== undefined && fact.requirements !== undefined) return securityDifferences(known, fact);
    if (known?.part === undefined || fact.part === undefined) return [];
    const spots = { old: spotOf(before, known), now: spotOf(after, fact) };
    const found = compare({ old: known.part, now: fact.part, here: spots }, fact.direction);
    // A schema that many use is compared once, for all of them.
    return found.map((one) => ({ ...one, fact: { ...one.fact, element: fact.element } }));
  });
}

/** The place of a schema that says nothing. */
const spotOf = (form: Form, { id, source, name, where, direction, element }: Fact): Spot => ({
  ...rootSpot(form),
  ...{ id, source, name, where, direction, element },
});

/**
 * What changed between two versions of openapi.yaml, both of which the check has passed. `now` decides which sunsets have
 * passed. In no order.
 */
export function restChanges(before: OpenApiSource, after: OpenApiSource, now: Date): Change[] {
  const [old, current] = [{ ...before.current }, { ...after.current }];
  const pairs = pairsOf(old, current);
  const versions = [
    { form: restForm({ own: old, other: current }, pairs, 'old'), locate: locator(before) },
    { form: restForm({ own: current, other: old }, pairs, 'now'), locate: locator(after) },
  ] as const;
  const [was, is] = [versions[0].form, versions[1].form];
  const found = [...differences(was, is), ...insides(was, is)];
  return withScheme(judged('rest', FILES.rest, ...versions, afterSunset(REST_RULES, now), found));
}
