import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LISTED, login, placesAfter, startAccord } from './accord.js';
import { runTask, startClients } from './clients.js';
import type { Directories } from './data.js';
import { FLOWS } from './flows.js';
import type { Load, Outcome, Request } from './load.js';
import { documents, NESTED, newUsers, pagesAfter, SHALLOW, users } from './requests.js';
import type { Profile } from './results.js';
import type { Measured } from './server.js';

/**
 * Profiles Accord's process by sampling, and attributes each sample to a package or a folder by the source maps of the
 * bundles.
 */

const CONNECTIONS = 8;
/** Seconds of load before and during the profile. */
const WARM = 6;
const SECONDS = 4;
/** Microseconds. */
const INTERVAL = 250;

type Headers = Awaited<ReturnType<typeof login>>;

const PROFILED = {
  read: async (_server: Measured, headers: Headers) => users(headers),
  list: async (server: Measured, headers: Headers) =>
    pagesAfter(
      (await placesAfter(server, headers, LISTED)).map(({ cursor }) => cursor),
      headers,
    ),
  create: async (_server: Measured, headers: Headers) => newUsers(headers),
  nested: async (_server: Measured, headers: Headers) => documents(NESTED, headers),
  shallow: async (_server: Measured, headers: Headers) => documents(SHALLOW, headers),
  embeddedRead: async (_server: Measured, headers: Headers) => users(headers),
  embeddedCreate: async (_server: Measured, headers: Headers) => newUsers(headers),
} as const;

/** The profile format of V8 (https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile). */
interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number; columnNumber: number } }[];
  /** Microseconds of the monotonic clock. */
  startTime: number;
  samples: number[];
  timeDeltas: number[];
}

const steadyClock = () => Number(process.hrtime.bigint() / 1000n);

const maps = new Map<string, SourceMap | undefined>();

/** Returns the source file of a place in a bundle; the path itself outside the bundles. */
function sourceOf(url: string, line: number, column: number): string {
  if (!url.startsWith('file:') || url.includes('/node_modules/')) return url;
  const path = fileURLToPath(url);
  if (!maps.has(path)) {
    const folder = join(path, '..');
    const found = readdirSync(folder).includes(`${basename(path)}.map`);
    maps.set(path, found ? new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8'))) : undefined);
  }
  const entry = maps.get(path)?.findEntry(line, column);
  return entry !== undefined && 'originalSource' in entry ? entry.originalSource : path;
}

/** Work of V8 and the system, by the function name of a sample. */
const OF_THE_ENGINE: Record<string, string> = {
  '(garbage collector)': 'collecting garbage',
  '(program)': 'Node, in C++',
  writev: 'writing to sockets',
  writeBuffer: 'writing to sockets',
  writeUtf8String: 'writing to sockets',
  writeLatin1String: 'writing to sockets',
};

/** Returns the owner of a sample: a package, a folder, or the engine. */
function ownerOf({ callFrame: { functionName, url, lineNumber, columnNumber } }: CpuProfile['nodes'][number]): string {
  const engine = OF_THE_ENGINE[functionName];
  if (engine !== undefined && (url === '' || url.startsWith('node:'))) return engine;
  if (url === '') return lineNumber < 0 ? 'Node, in C++' : 'compiled from the contracts';
  if (url.startsWith('node:')) return 'Node, in JavaScript';
  if (url.startsWith('wasm:')) return 'PostgreSQL in the process';
  const source = sourceOf(url, lineNumber, columnNumber);
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
  if (name !== undefined) return name.startsWith('pg') ? 'pg' : name;
  const [, house, room = ''] = /src\/(application|platform)\/(?:([^/]+)\/)?/.exec(source) ?? [];
  return house === undefined ? 'generated code' : house === 'platform' ? `platform/${room}` : house;
}

/** Returns the shares between two moments in percent. Shares below one percent are summed up. */
function sharesOf(profile: CpuProfile, from: number, until: number): Record<string, number> {
  const owners = new Map(profile.nodes.map((node) => [node.id, node]));
  const times = new Map<string, number>();
  let [now, busy] = [profile.startTime, 0];
  profile.samples.forEach((id, i) => {
    const took = profile.timeDeltas[i] as number;
    now += took;
    const node = owners.get(id) as CpuProfile['nodes'][number];
    if (now < from || now > until || node.callFrame.functionName === '(idle)') return;
    const owner = ownerOf(node);
    busy += took;
    times.set(owner, (times.get(owner) ?? 0) + took);
  });
  const shares = [...times].map(([owner, took]): [string, number] => [owner, (100 * took) / busy]);
  return Object.fromEntries(
    shares.sort(([, a], [, b]) => b - a).map(([owner, share]) => [owner, Math.round(share * 10) / 10]),
  );
}

/** Profiles Accord under the load of one flow. */
async function profileOf(name: keyof typeof PROFILED, DATABASE_URL: string): Promise<Profile> {
  console.log(`${FLOWS[name].title}: profile`);
  const folder = mkdtempSync(join(tmpdir(), 'accord-profile-'));
  const flags = ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-interval=${INTERVAL}`];
  const server = await startAccord(DATABASE_URL, {}, flags);
  const requests: Request[] = await PROFILED[name](server, await login(server));
  const clients = startClients('load.ts');
  const ask = (seconds: number, from: number) =>
    runTask<Outcome>(clients, { url: server.url, requests, connections: CONNECTIONS, seconds, from } satisfies Load);
  const warm = await ask(WARM, 1);
  const [began, before] = [steadyClock(), server.cpu()];
  const { answered } = await ask(SECONDS, warm.next);
  const [ended, cpu] = [steadyClock(), server.cpu() - before];
  clients.kill();
  await server.stop();
  const [file = ''] = readdirSync(folder);
  const shares = sharesOf(JSON.parse(readFileSync(join(folder, file), 'utf8')), began, ended);
  rmSync(folder, { recursive: true });
  console.log(Object.entries(shares).slice(0, 8));
  return { cpu: Math.round((1000 * cpu) / answered), shares };
}

export async function profiles(database: string, directories: Directories): Promise<Record<string, Profile>> {
  const found: Record<string, Profile> = {};
  for (const name of Object.keys(PROFILED) as (keyof typeof PROFILED)[]) {
    const url = name.startsWith('embedded') ? `pglite://${directories.copy().directory}` : database;
    found[name] = await profileOf(name, url);
  }
  return found;
}
