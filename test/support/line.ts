import type { Test } from 'tap';
import { openDatabase } from '../../src/platform/database/open.js';
import type { SocketLimits } from '../../src/platform/parts/live/sockets.js';
import type { Opened } from './databases.js';
import { type Service, startInstance, startService } from './service.js';
import { type TcpProxy, tcpProxy } from './tcp-proxy.js';

export interface Damaged {
  service: Service;
  /** The address of the second instance, whose database connection a test can damage. */
  url: string;
  line: TcpProxy;
  log: string[];
}

/**
 * Starts two instances on a PostgreSQL server, one of them through `tcpProxy`.
 * @param options `named`: see `tcpProxy`
 */
export async function behindLine(
  t: Test,
  direct: Opened,
  { named = '', ...options }: { poolSize?: number; named?: string } = {},
  environment: Record<string, string> = {},
  sockets: Partial<SocketLimits> = {},
): Promise<Damaged> {
  const service = await startService(t, direct, environment);
  const address = new URL(direct.url as string);
  const line = await tcpProxy(t, { host: address.hostname, port: Number(address.port || 5432) }, { named });
  address.hostname = '127.0.0.1';
  address.port = String(line.port);
  const database = Object.assign(await openDatabase(address.href, options), { url: undefined });
  t.teardown(async () => {
    line.set('sound');
    await database.close().catch(() => {});
  });
  const { url, log } = await startInstance(t, database, environment, { sockets });
  return { service, url, line, log };
}
