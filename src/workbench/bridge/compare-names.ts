import type { Difference } from './difference.js';
import type { Overrides } from './overrides.js';
import type { Pairs } from './pairs.js';
import type { Call, Contract } from './side.js';

const actionsOf = ({ permissions }: Call) => permissions.map(({ permission }) => permission.action);

const listed = (names: readonly string[]) => names.join(' and ');

/**
 * Root fields that are held against no operation, although one that is held against no field does the same by its permission: a
 * name that pairs by convention was changed. An operation that names its counterparts, or says that it has none, has decided it.
 */
function lostCalls({ calls }: Pairs, openapi: Contract, graphql: Contract, overrides: Overrides): Difference[] {
  const undecided = openapi.calls.filter(
    (one) => overrides.of(one.name).graphql === undefined && !calls.some(({ rest }) => rest === one),
  );
  return graphql.calls
    .filter((field) => !calls.some((pair) => pair.field === field))
    .flatMap((field) => {
      const actions = actionsOf(field);
      const alike = undecided.filter((one) => actionsOf(one).some((action) => actions.includes(action)));
      if (alike.length === 0) return [];
      const names = listed(alike.map(({ name }) => name));
      return {
        id: `unpaired:${field.name}`,
        message: `${field.name} may do what ${names} may (${listed([...new Set(actions)])}), and by its name it is held against nothing`,
        advice: `Say \`x-bridge: { graphql: ${field.name} }\` at the operation that it is, and \`graphql: none\` at the others.`,
        places: [...alike, field].map(({ where }) => where),
      };
    });
}

/** Types that paired operations answer with, and that are held against nothing. */
function lostTypes({ calls, shapes }: Pairs, openapi: Contract, graphql: Contract, overrides: Overrides): Difference[] {
  const isPaired = (side: 'openapi' | 'graphql', name: string) =>
    shapes.some(({ sides }) => sides[side]?.name === name && sides.openapi && sides.graphql);
  return calls.flatMap(({ rest, field }) => {
    const [one, other] = [
      openapi.shapes.find(({ name }) => name === rest.result),
      graphql.shapes.find(({ name }) => name === field.result),
    ];
    if (one === undefined || other === undefined || overrides.of(one.name).graphql !== undefined) return [];
    if (isPaired('openapi', one.name) || isPaired('graphql', other.name)) return [];
    return {
      id: `unpaired:${one.name}~${other.name}`,
      message: `${rest.name} answers with ${one.name} and ${field.name} with ${other.name}, which are held against nothing`,
      advice: `Say \`x-bridge: { graphql: ${other.name} }\` at the schema, or \`graphql: none\`.`,
      places: [one.where, other.where],
    };
  });
}

/** What a change of a name has taken from the comparison. */
export const compareNames = (
  pairs: Pairs,
  { openapi, graphql }: Record<'openapi' | 'graphql', Contract>,
  overrides: Overrides,
): Difference[] => [...lostCalls(pairs, openapi, graphql, overrides), ...lostTypes(pairs, openapi, graphql, overrides)];
