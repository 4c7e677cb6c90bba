import { AUDITED, type AuditedEvent } from '../audit/audit.js';
import { type Actor, authenticated, type Call, type Policy } from '../calls/access.js';
import { isStorableId } from '../calls/pages.js';
import { type Run, type Statement, type Statements, statement, type Transaction } from '../database/statement.js';
import type { Value } from '../database/values.js';
import { ACCOUNT_LOCK, type Deed, permit, type Standing, writing } from './writing.js';

/** What a deed does, in one statement that writes one row. */
export interface Effect<Values extends readonly Value[], Row extends object> {
  readonly statement: Statement<[...Values, ...Value[]], Row & { isPermitted: boolean }>;
  readonly isAudited: boolean;
}

/** What an effect is written down as in the audit table. */
interface EffectEvent {
  readonly event: AuditedEvent;
  /** In SQL, of what the statement returns: `'user:' || id`. */
  readonly subject: string;
}

/**
 * @param name for people who look into a server: words
 * @param text writes a row while the caller is `permitted`, and returns of it what is wanted:
 *   `INSERT INTO notes (author_id, text) SELECT $1, $2 FROM permitted RETURNING id, text`
 */
export function effectStatement<Values extends readonly Value[], Row extends object>(
  name: string,
  text: string,
  event?: EffectEvent,
): Effect<Values, Row> {
  const own = Math.max(0, ...Array.from(text.matchAll(/\$(\d+)/g), ([, place]) => Number(place)));
  const [accounts, actor, role, address, requestId] = [1, 2, 3, 4, 5].map((place) => `$${own + place}`);
  const audited = event
    ? `, audited AS (${AUDITED} SELECT '${event.event}', ${event.subject}, ${actor}, ${address}, ${requestId} FROM effect)`
    : '';
  return {
    isAudited: event !== undefined,
    statement: statement(
      name,
      `WITH held AS MATERIALIZED (
        SELECT account.* FROM unnest(${accounts}::int[]) AS wanted (id) CROSS JOIN LATERAL (
          SELECT users.id, role FROM users
          WHERE users.id = wanted.id AND pg_advisory_xact_lock_shared(${ACCOUNT_LOCK}, users.id) IS NOT NULL FOR SHARE
        ) AS account
      ), permitted AS (
        SELECT FROM held WHERE id = ${actor}::int AND role = ${role}
          AND (SELECT count(*) FROM held) = cardinality(${accounts}::int[])
      ), effect AS (${text})${audited}
      SELECT EXISTS (SELECT FROM permitted) AS "isPermitted", effect.* FROM (VALUES (1)) AS always LEFT JOIN effect ON true`,
    ),
  };
}

/** @returns undefined where an account is not, or not any more, as the call has it: then there was no effect */
async function attempt<Values extends readonly Value[], Row extends object>(
  run: Run,
  { id, role }: Actor,
  { address, requestId }: Pick<Call, 'address' | 'requestId'>,
  owner: number | undefined,
  { statement, isAudited }: Effect<Values, Row>,
  values: Values,
): Promise<Row | undefined> {
  const accounts = [...new Set([id, owner ?? id])].sort((a, b) => a - b);
  if (!accounts.every(isStorableId)) return undefined;
  const by = isAudited ? [address, requestId] : [];
  const [row] = await run(statement, ...values, accounts, id, role, ...by);
  const { isPermitted, ...made } = row as Row & { isPermitted: boolean };
  return isPermitted ? (made as unknown as Row) : undefined;
}

/**
 * Has an effect as `writing` does, in one statement: while the accounts are as the call has them, there is nothing to decide
 * anew. Where they are not, it is decided in a transaction.
 * @throws Failure as `writing` does
 */
export async function inOneStatement<Values extends readonly Value[], Row extends object, Rules extends Policy>(
  statements: Statements,
  call: Call<Rules>,
  deed: Deed<NoInfer<Rules>>,
  effect: Effect<Values, Row>,
  ...values: Values
): Promise<Row> {
  const made = await attempt(statements.run, permit(call, deed), call, deed.owner, effect, values);
  return made ?? writing(statements, call, deed, (db, standing) => effectWithin(db, standing, deed, effect, values));
}

/** Has an effect in a transaction that holds the accounts (see `writing`). */
export async function effectWithin<Values extends readonly Value[], Row extends object, Rules extends Policy>(
  { run }: Transaction,
  { call }: Standing<Rules>,
  { owner }: Pick<Deed, 'owner'>,
  effect: Effect<Values, Row>,
  values: Values,
): Promise<Row> {
  const made = await attempt(run, authenticated(call), call, owner, effect, values);
  if (!made) throw new Error('The accounts of a deed have changed, though they were held.');
  return made;
}
