/**
 * Knows which server the database is: one fact per process, compared whenever a connection opens (docs/decisions.md,
 * "Database").
 * @module
 */

import { Client, type ClientBase, type ClientConfig } from 'pg';
import type { Dependency } from './outages.js';
import type { OnConnect, Session } from './session.js';

/** Milliseconds between two checks on a new connection while statements are sent. Others may stay open for minutes. */
const CHECK_MS = 2000;

/** Destroys the socket, because a dead server does not respond to `end`. */
export const destroySocket = (client: ClientBase): void =>
  void (client as unknown as { connection: { stream: { destroy: () => void } } }).connection.stream.destroy();

const nameOf = ({ systemIdentifier, timeline }: Session): string =>
  timeline === 0 ? `a standby of system ${systemIdentifier}` : `timeline ${timeline} of system ${systemIdentifier}`;

function readOnlyReason({ isReadOnly, isInRecovery }: Session): string | undefined {
  if (!isReadOnly) return undefined;
  return isInRecovery ? 'it is read-only: a standby' : 'it is read-only: default_transaction_read_only is on';
}

/** Keeps all connections of the process on one server. */
export function serverIdentity() {
  const open = new Set<ClientBase>();
  let current: { session: Session; attempt: number } | undefined;
  /** The highest timeline of the current system. */
  let timeline = 0;
  let attempts = 0;
  let dependency: Dependency | undefined;

  /** @throws Error for a server that another one has replaced */
  function accept(session: Session, attempt: number): void {
    const before = current?.session;
    const isSameSystem = before?.systemIdentifier === session.systemIdentifier;
    const isAnother = before !== undefined && !(isSameSystem && before.timeline === session.timeline);
    const isBehind = isSameSystem && session.timeline > 0 && session.timeline < timeline;
    if (isBehind || (isAnother && attempt < (current?.attempt ?? 0))) {
      const code = '57P01'; // as a server that shuts down
      throw Object.assign(new Error(`The connection leads to ${nameOf(session)}, which has been replaced.`), { code });
    }
    if (isAnother) {
      for (const one of open) destroySocket(one);
      open.clear();
      console.warn(
        `The database is ${nameOf(session)} now, no longer ${nameOf(before)}. All connections are replaced.`,
      );
    }
    timeline = isSameSystem ? Math.max(timeline, session.timeline) : session.timeline;
    current = { session, attempt };
    const reason = readOnlyReason(session);
    if (reason === undefined) dependency?.back();
    else dependency?.away(reason);
  }

  return {
    /** Compares the server of each connection that `begin` begins. */
    guard:
      (begin: OnConnect): OnConnect =>
      async (client) => {
        const attempt = ++attempts;
        const session = await begin(client);
        accept(session, attempt);
        open.add(client);
        client.once('end', () => open.delete(client));
        return session;
      },
    /** Returns a function for each statement, which opens a connection unless one was opened within CHECK_MS. */
    checks(config: ClientConfig, onConnect: OnConnect): () => void {
      let dueAt = Number.NEGATIVE_INFINITY;
      async function check(): Promise<void> {
        const client = new Client(config).on('error', () => {});
        // Requests report outages.
        await client
          .connect()
          .then(() => onConnect(client))
          .catch(() => {});
        void client.end().catch(() => {});
        dueAt = performance.now() + CHECK_MS;
      }
      return () => {
        if (performance.now() < dueAt) return;
        dueAt = Number.POSITIVE_INFINITY;
        void check();
      };
    },
    isReadOnly: (): boolean => current?.session.isReadOnly ?? false,
    watch(server: Dependency): void {
      dependency = server;
    },
  };
}
