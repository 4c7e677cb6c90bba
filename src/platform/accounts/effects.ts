import { AUDITED, type AuditedEvent } from '../audit/audit.js';
import { authenticated, type Call, type Policy } from '../calls/access.js';
import { type Run, type Statement, type Statements, statement } from '../database/statement.js';
import type { Value } from '../database/values.js';
import { ACCOUNT_LOCK, type Deed, writing } from './writing.js';

/** What a deed does, in one statement that writes one row. */
export interface Effect<Values extends readonly Value[], Row extends object> {
  readonly statement: Statement<[...Values, ...Value[]], Row & { isPermitted: boolean }>;
  readonly isAudited: boolean;
}

/** What an effect is written down as in the audit table. */
export interface EffectEvent {
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

/** Runs the statement for a caller of this role. @returns undefined where the accounts are not, or not any more, like that */
export async function attempt<Values extends readonly Value[], Row extends object, Rules extends Policy>(
  run: Run,
  call: Call<Rules>,
  { owner }: Pick<Deed<Rules>, 'owner'>,
  { statement, isAudited }: Effect<Values, Row>,
  values: Values,
): Promise<Row | undefined> {
  const { id, role } = authenticated(call);
  const accounts = [...new Set([id, owner ?? id])].sort((a, b) => a - b);
  const [row] = await run(
    statement,
    ...values,
    accounts,
    id,
    role,
    ...(isAudited ? [call.address, call.requestId] : []),
  );
  const { isPermitted, ...made } = row as Row & { isPermitted: boolean };
  return isPermitted ? (made as unknown as Row) : undefined;
}

/**
 * Has an effect as `writing` does, in one statement: while the accounts are as the call has them, there is nothing to decide
 * anew. Where they are not, it is decided in a transaction.
 * @throws Failure as `writing` does
 */
export async function having<Values extends readonly Value[], Row extends object, Rules extends Policy>(
  statements: Statements,
  call: Call<Rules>,
  deed: Deed<NoInfer<Rules>>,
  effect: Effect<Values, Row>,
  ...values: Values
): Promise<Row> {
  const made = await attempt(statements.run, call, deed, effect, values);
  return (
    made ??
    writing(statements, call, deed, (db, { call: standing }) => havingIn(db.run, standing, deed, effect, values))
  );
}

/** Has an effect in a transaction that has decided (see `Standing`). */
export async function havingIn<Values extends readonly Value[], Row extends object, Rules extends Policy>(
  run: Run,
  standing: Call<Rules>,
  deed: Deed<NoInfer<Rules>>,
  effect: Effect<Values, Row>,
  values: Values,
): Promise<Row> {
  return (await attempt(run, standing, deed, effect, values)) as Row;
}
