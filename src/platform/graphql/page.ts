import type { OffsetPage } from '../calls/pages.js';

/** Rows of a list that is asked for without a limit; the contract states it as the default of each `limit`. */
export const DEFAULT_LIMIT = 20;

/** Arguments with a default take `null` as if they had been left out. A list here shows no total, so none is counted. */
export const page = ({ limit, offset }: { limit?: number | null; offset?: number | null }): OffsetPage => ({
  limit: limit ?? DEFAULT_LIMIT,
  offset: offset ?? 0,
  counted: false,
});
