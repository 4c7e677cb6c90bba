import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundled } from '../src/workbench/cli/bundle.js';
import { HIGH_LIMITS, login, stopAll } from './accord.js';
import type { Directories } from './data.js';
import { ACCORD, FLOWS } from './flows.js';
import type { Request } from './load.js';
import { type Asked, measureRequests, type Variant } from './measure.js';
import { startPeer } from './peers.js';
import { likeNewUser, newUsers, users } from './requests.js';
import type { Measurements } from './results.js';
import { type Measured, ROOT, startProcess } from './server.js';

/** Measures REST with PostgreSQL in the process. */
export async function embedded(ours: Variant, directories: Directories): Promise<Measurements> {
  const on = async (file: string) => startPeer(file, { DIRECTORY: directories.copy().files });
  const others: Variant[] = [
    { name: 'PGlite, prepared', kind: 'limit', server: await on('pglite-prepared') },
    { name: 'Prisma over PGlite', kind: 'peer', server: await on('pglite-prisma') },
  ];
  const headers = await login(ours.server);
  const asked = (requests: (headers?: Record<string, string>) => Request[]): Asked[] => [
    { ...ours, requests: requests(headers) },
    ...others.map((variant) => ({ ...variant, requests: requests() })),
  ];
  const measured: Measurements = {
    embeddedRead: await measureRequests(FLOWS.embeddedRead.title, asked(users)),
    embeddedCreate: await measureRequests(FLOWS.embeddedCreate.title, asked(newUsers), { comparable: likeNewUser }),
  };
  await stopAll(others);
  return measured;
}

/** Starts a bundle, as the service is one, because tsx adds a name to each function whenever it is created. */
export async function startTrivial(environment: Record<string, string> = {}): Promise<Measured> {
  const folder = join(ROOT, 'dist', 'bench');
  mkdirSync(folder, { recursive: true });
  const { outputFiles } = await bundled(['bench/trivial.ts'], folder);
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  return startProcess(
    [join(folder, 'trivial.js')],
    { ...HIGH_LIMITS, HOST: '127.0.0.1', ...environment },
    /^ready (\S+) (\S+)$/m,
  );
}

/** Measures an application that does nothing, which leaves the cost of the platform. */
export async function trivial(): Promise<Measurements> {
  const server = await startTrivial();
  const requests = (headers: Record<string, string> = {}): Request[] => [
    { method: 'GET', path: '/api/v1/greetings/0', headers },
  ];
  const variants: Asked[] = [
    { name: ACCORD, kind: 'accord', server, requests: requests({ authorization: `Bearer ${server.said[0]}` }) },
    { name: 'node:http', kind: 'limit', server: await startPeer('memory'), requests: requests() },
  ];
  const measured = { trivial: await measureRequests(FLOWS.trivial.title, variants) };
  await stopAll(variants);
  return measured;
}
