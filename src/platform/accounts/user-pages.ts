import { authorise, type Call } from '../calls/access.js';
import { windowOf } from '../calls/listing.js';
import type { Window, WindowPage } from '../calls/pages.js';
import type { Reads } from '../database/statement.js';
import type { User, UserReadsDependencies } from './user-reads.js';

/** Users as the Relay connection shows them. */
export type UserPage = WindowPage<User>;

/** Reading many users at once. */
export function userPages({ rows, rules: { actions } }: Pick<UserReadsDependencies, 'rows' | 'rules'>) {
  return {
    /** Several users in one statement, whose text is the same for any number of them. One that is not there is left out. */
    async byIds(call: Call, ids: readonly number[]): Promise<Map<number, User>> {
      authorise(call, actions.read);
      return rows.byIds(ids);
    },

    /** The users of a window, by ascending id. @param by see `userReads` */
    async connection(call: Call, window: Window, by?: Reads): Promise<UserPage> {
      authorise(call, actions.list);
      await call.checkpoint();
      return windowOf(window, rows.listed(by), rows.listed());
    },
  };
}
