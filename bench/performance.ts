/**
 * `npm run bench` compares Accord with hand-written servers and with alternatives. It writes `bench/results.json`,
 * docs/performance.md and the picture, on each version of Node that it finds (`nodes.ts`). `npm run bench -- rest live` measures these parts only. `BENCH=whole` takes
 * longer. `--against COMMIT` measures another commit beside in the parts rest and graphql. `ROUNDS=` and `SECONDS=` set the number of rounds and the seconds of each. `npm run bench -- growth profiles`
 * measures how the cost grows, and the shares of the processor time; `BENCH=whole` includes both.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { startAccord, stopAll } from './accord.js';
import { checkedOut } from './against.js';
import { idle, starts } from './at-rest.js';
import { administered, type Directories, embeddedData, postgresqlData } from './data.js';
import { ACCORD } from './flows.js';
import { garbage } from './garbage.js';
import { graphql } from './graphql.js';
import { measureGrowth } from './growth.js';
import { embedded, trivial } from './in-process.js';
import { live } from './live.js';
import { LONG, ROUNDS, SECONDS, type Variant } from './measure.js';
import { repeatOnEachNode } from './nodes.js';
import { writePage } from './page.js';
import { peerVersions, preparePeers } from './peers.js';
import { profiles } from './profile.js';
import { rest } from './rest.js';
import {
  type About,
  type AllResults,
  addGrowth,
  addMade,
  addProfiles,
  addResults,
  type Measurements,
} from './results.js';
import { killAll } from './server.js';

/** The commits of `--against`, in folders of their own. */
const AGAINST: { commit: string; folder: string }[] = [];

interface Data {
  database: { name: string; url: string };
  directories: Directories;
}

/** Runs a part of the benchmark with Accord. */
async function withAccord(
  url: string,
  measure: (ours: Variant, beside: Variant[]) => Promise<Measurements>,
  against: typeof AGAINST = [],
): Promise<Measurements> {
  const server = await startAccord(url);
  const beside: Variant[] = [];
  for (const { commit, folder } of against) {
    const other = await startAccord(url, {}, [], folder);
    beside.push({ name: `${ACCORD} at ${commit}`, kind: 'beside', server: other });
  }
  const measured = await measure({ name: ACCORD, kind: 'accord', server }, beside);
  await stopAll([{ server }, ...beside]);
  return measured;
}

const onCopy = ({ directories }: Data) => `pglite://${directories.copy().directory}`;

const PARTS: Record<string, (data: Data) => Promise<Measurements>> = {
  rest: ({ database: { url } }) => withAccord(url, (ours, beside) => rest(ours, url, beside), AGAINST),
  graphql: ({ database: { url } }) => withAccord(url, (ours, beside) => graphql(ours, url, beside), AGAINST),
  live: ({ database: { url } }) => withAccord(url, (ours) => live(ours, url)),
  trivial,
  embedded: (data) => withAccord(onCopy(data), (ours) => embedded(ours, data.directories)),
  starts: ({ database, directories }) => starts(database.url, directories),
  idle: (data) =>
    withAccord(data.database.url, (ours) =>
      withAccord(onCopy(data), (inProcess) => idle(ours, inProcess, data.database)),
    ),
};

/** Slow parts without peers. */
const BESIDE: Record<string, (data: Data, about: About) => Promise<AllResults>> = {
  growth: async ({ database: { url } }, about) => addGrowth(await measureGrowth(url), about),
  garbage: async ({ database: { url }, directories }, about) => addMade(await garbage(url, directories), about),
  profiles: async ({ database: { url }, directories }, about) => addProfiles(await profiles(url, directories), about),
};

async function measure(names: string[], data: Data): Promise<void> {
  const version = "SELECT current_setting('server_version') AS version";
  const [postgresql] = await administered<{ version: string }>(version);
  const about = {
    machine: `${cpus().length} cores (${cpus()[0]?.model.trim()})`,
    node: process.versions.node,
    postgresql: postgresql?.version.split(' ')[0] ?? '',
    versions: peerVersions(),
    rounds: ROUNDS,
    seconds: SECONDS,
  };
  for (const name of names) {
    const part = PARTS[name];
    writePage(
      part ? addResults(await part(data), about) : await (BESIDE[name] as (typeof BESIDE)[string])(data, about),
    );
  }
}

async function main(): Promise<void> {
  if (repeatOnEachNode()) return;
  if (process.platform !== 'linux') throw new Error('The bench reads processor time from /proc, which only Linux has.');
  const { values, positionals: asked } = parseArgs({
    options: { against: { type: 'string', multiple: true, default: [] } },
    allowPositionals: true,
  });
  const parts = [...Object.keys(PARTS), ...Object.keys(BESIDE)];
  const unknown = asked.filter((name) => !parts.includes(name));
  if (unknown.length > 0) throw new Error(`${unknown} is no part of the bench: ${parts.join(', ')}.`);
  await preparePeers();
  for (const commit of values.against) AGAINST.push({ commit, folder: checkedOut(commit) });
  const directories = await embeddedData();
  const database = await postgresqlData();
  const ordinary = LONG ? parts : Object.keys(PARTS);
  await measure(asked.length > 0 ? asked : ordinary, { database, directories }).finally(() => {
    killAll();
    return database.drop();
  });
}

await main();
