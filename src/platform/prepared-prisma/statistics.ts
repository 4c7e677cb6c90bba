/** What a prepared client has done. For tests and for development. */
export interface Statistics {
  /** Calls that were sent as prepared statements, raw queries included. */
  prepared: number;
  /** Calls that Prisma ran, because their plan was not recorded yet. */
  unrecorded: number;
  /** Answers that Prisma read, to make its errors. */
  replayed: number;
  /** Plans that were recorded. */
  recorded: number;
  /** Calls that only Prisma can run: `User.findMany: distinct`, and how many. */
  fallbacks: Map<string, number>;
}

export const statistics = Symbol('statistics of a prepared client');
export const settled = Symbol('recordings of a prepared client');

/** Returns the statistics of a client that `preparedClient` made. */
export function statisticsOf(client: object): Statistics {
  const found = (client as { [statistics]?: Statistics })[statistics];
  if (found === undefined) throw new TypeError('This is not a prepared client.');
  return found;
}

/** Waits until all plans are recorded that calls have asked for so far. */
export const recordingsOf = (client: object): Promise<void> =>
  (client as { [settled]?: () => Promise<void> })[settled]?.() ?? Promise.resolve();
