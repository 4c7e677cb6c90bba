import type { Difference } from './difference.js';
import type { ErrorPolicy } from './error-policy.js';
import type { CallPair, Pairs } from './pairs.js';
import type { Call, Catalogue } from './side.js';

/** The differences of the lists of error codes: which there are, and which status each has. */
export function compareCatalogues(catalogues: readonly Catalogue[]): Difference[] {
  const all = [...new Set(catalogues.flatMap(({ codes }) => [...codes.keys()]))];
  return all.flatMap((code) => {
    const present = catalogues.flatMap(({ codes }) => codes.get(code) ?? []);
    const places = present.map(({ where }) => where);
    const absent = catalogues
      .filter(({ codes }) => !codes.has(code))
      .map(({ name, where }) => ({
        id: `code:${code}:${where.side}`,
        message: `The error code ${code} is missing in ${name}`,
        advice: 'Add it there, or take it out of the others.',
        places: [...places, where],
      }));
    const statuses = [...new Set(present.flatMap(({ status }) => status ?? []))];
    if (statuses.length < 2) return absent;
    const message = `The error code ${code} has the statuses ${statuses.join(' and ')}`;
    const withStatus = present.filter(({ status }) => status !== undefined).map(({ where }) => where);
    const advice = 'Give it one status in both contracts.';
    return [...absent, { id: `code-status:${code}`, message, advice, places: withStatus }];
  });
}

/** A code that an operation names and no list has: clients have nothing to switch on. */
export function compareNamed(catalogues: readonly Catalogue[], calls: readonly Call[]): Difference[] {
  const [first] = catalogues;
  if (first === undefined) return [];
  const known = new Set(catalogues.flatMap(({ codes }) => [...codes.keys()]));
  return calls.flatMap(({ name, errors = [] }) =>
    errors
      .filter((one) => !known.has(one.name))
      .map((one) => ({
        id: `code:${one.name}@${name}`,
        message: `${name} can give ${one.name}, which ${first.name} does not have`,
        advice: 'Add it to the lists of both contracts, or name one that is there.',
        places: [one.where, first.where],
      })),
  );
}

/** What REST declares an operation can give, and what GraphQL says its field can give, the common ones included. */
function comparePair({ rest, field }: CallPair, { common, foreign }: ErrorPolicy): Difference[] {
  if (rest.errors === undefined || field.errors === undefined) return [];
  const name = `${rest.name}~${field.name}`;
  const declared = new Set(rest.errors.map((one) => one.name));
  const described = new Set(field.errors.map((one) => one.name));
  const unsaid = rest.errors
    .filter((one) => !described.has(one.name) && !common.has(one.name) && !foreign.has(one.name))
    .map((one) => ({
      id: `error:${name}:${one.name}:graphql`,
      message: `${rest.name} can give ${one.name}, and the errors of ${field.name} do not name it`,
      advice: 'Add it to the "Errors:" of the description, or take the response out.',
      places: [one.where, field.where],
    }));
  const undeclared = field.errors
    .filter((one) => !declared.has(one.name))
    .map((one) => ({
      id: `error:${name}:${one.name}:openapi`,
      message: `${field.name} can give ${one.name}, and ${rest.name} does not declare it`,
      advice: 'Declare the response, or take the code out of the description.',
      places: [one.where, rest.where],
    }));
  return [...unsaid, ...undeclared];
}

/** The differences of the errors of paired operations, where both contracts say what these are. */
export const compareErrors = ({ calls }: Pairs, policy: ErrorPolicy): Difference[] =>
  calls.flatMap((pair) => comparePair(pair, policy));
