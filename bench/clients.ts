import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** Starts a process of clients, which runs one task at a time. */
export const startClients = (file: string): ChildProcess =>
  fork(new URL(file, import.meta.url), { execArgv: process.execArgv });

/** Runs a task in a process of clients and resolves with its answer. */
export async function runTask<Answer>(clients: ChildProcess, task: object): Promise<Answer> {
  const answer = once(clients, 'message');
  clients.send(task);
  return (await answer)[0] as Answer;
}
