import { flattened, rowsOf } from './compare-shapes.js';
import { type Difference, fits, isId, TITLES, typeDifference } from './difference.js';
import type { Pair, Pairs } from './pairs.js';
import type { Call, Contract, Member, Shape } from './side.js';

/** The greatest value of an Int in Prisma, four bytes in PostgreSQL. */
const INT_MAX = 2 ** 31 - 1;

type Taken = Member & { by: Call };

function misfit(subject: string, taken: Taken, column: Member): Difference[] {
  const { side } = taken.where;
  return fits(side, 'prisma', taken, column) ? [] : [typeDifference(subject, side, 'prisma', taken, column)];
}

function lengthDifference(subject: string, taken: Taken, column: Member): Difference[] {
  const length = column.limits.maxLength;
  const taking = taken.limits.maxLength;
  if (length === undefined || (taking !== undefined && taking <= length)) return [];
  const { side } = taken.where;
  return [
    {
      id: `length:${subject}:${side}-prisma`,
      message: `${subject} is ${taking === undefined ? 'not limited' : `up to ${taking} characters`} in ${TITLES[side]}, and the column holds ${length}`,
      advice: `Give ${TITLES[side]} a maxLength of at most ${length}, or widen the column.`,
      places: [taken.where, column.where],
    },
  ];
}

/** An Int of GraphQL is as wide as one of Prisma. What is too large for an id is looked for and not found. */
function rangeDifference(subject: string, taken: Taken, column: Member): Difference[] {
  if (taken.type !== 'integer' || column.type !== 'Int' || isId(taken)) return [];
  if ((taken.limits.max ?? Number.POSITIVE_INFINITY) <= INT_MAX) return [];
  return [
    {
      id: `range:${subject}:openapi-prisma`,
      message: `${subject} may be larger in REST than the column holds (${INT_MAX})`,
      advice: `Give REST a maximum of at most ${INT_MAX}, or make the column BigInt.`,
      places: [taken.where, column.where],
    },
  ];
}

/** What makes a row has to bring what the row cannot be without. */
function omissionDifference(subject: string, taken: Taken, column: Member): Difference[] {
  const { side } = taken.where;
  const creates = /^(create|add)|\.(create|add)/.test(taken.by.name);
  if (!creates || !taken.optional || column.optional || column.filled) return [];
  return [
    {
      id: `required:${subject}:${side}-prisma`,
      message: `${subject} may be left out when it is created in ${TITLES[side]}, and the column has no default`,
      advice: `Require it in ${TITLES[side]}, or give the column a @default.`,
      places: [taken.where, column.where],
    },
  ];
}

export interface Stored {
  call: Call;
  /** The type that it answers with. */
  pair: Pair<Shape>;
  /** What it takes of that type, with the columns that hold it. */
  members: { subject: string; taken: Taken; column: Member }[];
}

/** The operations that write something of which schema.prisma has the columns. */
export function storedCalls({ shapes }: Pairs, calls: readonly Call[], openapi: Contract): Stored[] {
  return calls.flatMap((call) => {
    const pair = shapes.find(({ sides }) => call.result !== undefined && sides[call.where.side]?.name === call.result);
    if (pair === undefined) return [];
    const rows = rowsOf(pair, openapi);
    const members = flattened(call.written, pair.override, openapi).flatMap((member) => {
      const taken = { ...member, by: call };
      const column = rows.find(({ key }) => key === taken.key)?.cells.prisma;
      return column === undefined ? [] : [{ subject: `${pair.name}.${taken.key}`, taken, column }];
    });
    return members.length === 0 ? [] : [{ call, pair, members }];
  });
}

/** The differences of what operations that write take, and what the columns hold. */
export const compareStore = (stored: readonly Stored[]): Difference[] =>
  stored.flatMap(({ members }) =>
    members.flatMap(({ subject, taken, column }) =>
      [misfit, lengthDifference, rangeDifference, omissionDifference].flatMap((compare) =>
        compare(subject, taken, column),
      ),
    ),
  );
