import { type Policy, rolesOf } from '../calls/access.js';

/**
 * The actions of the contracts that the model of accounts names. An application whose contracts call them otherwise names its own
 * (`accountActions`). An action that no contract states is nobody's.
 */
export const ACCOUNT_ACTIONS = { read: 'users.read', setRole: 'users.set-role' } as const;

export type AccountActions = Readonly<Record<keyof typeof ACCOUNT_ACTIONS, string>>;

/** What the contracts say of accounts: the roles that one can have, and what each action upon one is called. */
export interface AccountRules {
  readonly actions: AccountActions;
  readonly roles: ReadonlySet<string>;
  /**
   * The roles that administer: they reach `any` account with the action that sets roles. At least one account always has one
   * of them. The first is that of the first administrator.
   */
  readonly administrators: readonly [string, ...string[]];
}

/**
 * Reads from a policy what accounts need to know of it.
 * @throws Error when no role could administer, so that nobody would ever get in
 */
export function accountRules(policy: Policy, named: Partial<AccountActions> = {}): AccountRules {
  const actions = { ...ACCOUNT_ACTIONS, ...named };
  const reaches = Object.entries(policy[actions.setRole] ?? {});
  const [first, ...others] = reaches.flatMap(([role, reach]) => (reach === 'any' ? [role] : []));
  if (first === undefined) {
    throw new Error(
      `Nobody could administer: no contract gives a role \`any\` for ${actions.setRole}, the action that sets the roles of accounts.`,
    );
  }
  return { actions, roles: rolesOf(policy), administrators: [first, ...others] };
}
