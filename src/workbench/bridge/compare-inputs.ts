import { PAGE_SIZE, PAGE_START } from '../model/names.js';
import { type Difference, fits, isId, limitDifferences, typeDifference } from './difference.js';
import type { CallPair, Pairs } from './pairs.js';
import type { Member } from './side.js';

/** Parameters of REST that choose how it is asked, and what GraphQL has other means for. */
const TRANSPORT = new Set(['version']);

const isPaging = ({ name }: Member) => PAGE_SIZE.test(name) || PAGE_START.test(name);

/** `user_id` of a path is the `id` that GraphQL asks for. */
function counterpart({ key }: Member, all: readonly Member[]): Member | undefined {
  const exact = all.find((one) => one.key === key);
  if (exact !== undefined || key === 'id') return exact ?? all.find(isId);
  return key.endsWith('Id') ? all.find((one) => one.key === 'id') : undefined;
}

function compareInput(subject: string, rest: Member, argument: Member): Difference[] {
  if (!fits('openapi', 'graphql', rest, argument)) {
    return [typeDifference(subject, 'openapi', 'graphql', rest, argument)];
  }
  const found = limitDifferences(subject, rest, argument);
  if (rest.optional === argument.optional) return found;
  const message = `${subject} must be given in ${rest.optional ? 'GraphQL' : 'REST'}, and need not in the other`;
  return [
    {
      id: `required:${subject}`,
      message,
      advice: 'Require it in both, or in neither.',
      places: [rest.where, argument.where],
    },
    ...found,
  ];
}

/** Page sizes are held against one another whatever they are called: a client of either may ask for as much. */
function comparePageSizes(name: string, { rest, field }: CallPair): Difference[] {
  const size = rest.inputs.find((one) => PAGE_SIZE.test(one.name));
  const others = field.inputs.filter((one) => PAGE_SIZE.test(one.name));
  if (size === undefined) return [];
  return others.flatMap((one) => limitDifferences(`${name}.${one.name}`, size, one));
}

function compareInputs(pair: CallPair): Difference[] {
  const { rest, field } = pair;
  const name = `${rest.name}~${field.name}`;
  const asked = rest.inputs.filter((one) => !TRANSPORT.has(one.name) && !PAGE_SIZE.test(one.name));
  const found = asked.flatMap((one) => {
    const argument = counterpart(one, field.inputs);
    if (argument !== undefined) return compareInput(`${name}.${one.key}`, one, argument);
    if (isPaging(one)) return [];
    return {
      id: `missing:${name}.${one.key}:graphql`,
      message: `${rest.name} takes ${one.name}, and ${field.name} does not`,
      advice: 'Add the argument, or take it out of REST.',
      places: [one.where, field.where],
    };
  });
  const known = rest.inputs.map((one) => counterpart(one, field.inputs));
  const surplus = field.inputs.filter((one) => !known.includes(one) && !isPaging(one));
  return [
    ...found,
    ...comparePageSizes(name, pair),
    ...surplus.map((one) => ({
      id: `missing:${name}.${one.key}:openapi`,
      message: `${field.name} takes ${one.name}, and ${rest.name} does not`,
      advice: 'Add it to the parameters or the body, or take the argument out.',
      places: [one.where, rest.where],
    })),
  ];
}

/** The differences of what paired operations and root fields take: members, types, what is required, limits, pages. */
export const compareAllInputs = ({ calls }: Pairs): Difference[] => calls.flatMap(compareInputs);
