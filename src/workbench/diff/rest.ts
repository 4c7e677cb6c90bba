import { DEFAULTS } from 'accord/contract/defaults';
import { isPlain } from 'accord/contract/references';
import type { OpenApiSource } from '../model/openapi-source.js';
import { movedBasePaths } from './base-path.js';
import type { Change } from './change.js';
import { type Difference, differences } from './differences.js';
import { emptyForm, type Fact, type Form, type Part, type Spot } from './form.js';
import { judged, type Locate } from './judged.js';
import { restForm } from './rest-form.js';
import { operationsIn, type Pair, pairsOf, type RestDocument, type Written } from './rest-operations.js';
import { REST_RULES } from './rest-rules.js';
import { type Comparison, schemaComparison } from './schema-differences.js';
import { partAt } from './schema-part.js';
import { securityDifferences } from './security-rules.js';
import { rootSpot } from './spot.js';
import { afterSunset } from './sunset.js';

const locator =
  ({ placeOf, linesOf, originOf }: OpenApiSource): Locate =>
  (path) => {
    const { file, line, column } = placeOf(path, true);
    const origin = originOf(path);
    return { file, line, column, lines: linesOf(path), shared: origin[0] === DEFAULTS ? origin.join('.') : undefined };
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

/** Whether an operation says the same in both versions, with all that it refers to. */
function isUnchanged({ old, now }: Pair, before: RestDocument, after: RestDocument, same: Comparison['same']): boolean {
  if (old === undefined || now === undefined) return false;
  const whole = ({ method, path, item, node }: Written, document: RestDocument): Part => {
    const { parameters, servers } = item;
    const { components, security } = document;
    const schemes = isPlain(components) ? components['securitySchemes'] : undefined;
    const value = { ...node, address: [method, path], path: { parameters, servers }, document: { schemes, security } };
    return partAt(value, rootSpot(emptyForm(), document));
  };
  return same(whole(old, before), whole(now, after));
}

/** What differs in what both versions have, where that is more than a value. */
function insides(before: Form, after: Form, compare: Comparison['differences']): Difference[] {
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
  const compare = schemaComparison();
  const bases = movedBasePaths(old, current);
  const pairs = pairsOf(old, current, bases).filter((pair) => !isUnchanged(pair, old, current, compare.same));
  const versions = [
    { form: restForm({ own: old, other: current, base: bases.old }, pairs, 'old'), locate: locator(before) },
    { form: restForm({ own: current, other: old, base: bases.now }, pairs, 'now'), locate: locator(after) },
  ] as const;
  const [was, is] = [versions[0].form, versions[1].form];
  const found = [...differences(was, is), ...insides(was, is, compare.differences)];
  return withScheme(judged('rest', ...versions, afterSunset(REST_RULES, now), found));
}
