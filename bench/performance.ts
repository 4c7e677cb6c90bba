/**
 * `npm run bench`: what Accord costs, beside what one would write by hand and what one would pick instead. Writes
 * `bench/results.json`, docs/performance.md and its picture. `npm run bench -- rest live` measures these parts anew and leaves the
 * others as they are; `BENCH=whole` takes longer; `ROUNDS=` and `SECONDS=` say how often and how long each variant is asked.
 */
import { cpus } from 'node:os';
import { startAccord } from './accord.js';
import { idle, starts } from './at-rest.js';
import { administered, type Directories, embeddedData, postgresqlData } from './data.js';
import { ACCORD } from './flows.js';
import { graphql } from './graphql.js';
import { embedded, trivial } from './in-process.js';
import { live } from './live.js';
import { ROUNDS, SECONDS, type Variant } from './measure.js';
import { writePage } from './page.js';
import { peerVersions, preparePeers } from './peers.js';
import { rest } from './rest.js';
import { addResults, type Measurements } from './results.js';
import { killAll } from './server.js';

interface Data {
  database: { name: string; url: string };
  directories: Directories;
}

/** Accord, for a part of the bench. */
async function withAccord(url: string, measure: (ours: Variant) => Promise<Measurements>): Promise<Measurements> {
  const server = await startAccord(url);
  const measured = await measure({ name: ACCORD, kind: 'accord', server });
  await server.stop();
  return measured;
}

const onCopy = ({ directories }: Data) => `pglite://${directories.copy().directory}`;

const PARTS: Record<string, (data: Data) => Promise<Measurements>> = {
  rest: ({ database: { url } }) => withAccord(url, (ours) => rest(ours, url)),
  graphql: ({ database: { url } }) => withAccord(url, (ours) => graphql(ours, url)),
  live: ({ database: { url } }) => withAccord(url, (ours) => live(ours, url)),
  trivial,
  embedded: (data) => withAccord(onCopy(data), (ours) => embedded(ours, data.directories)),
  starts: ({ database, directories }) => starts(database.url, directories),
  idle: (data) =>
    withAccord(data.database.url, (ours) =>
      withAccord(onCopy(data), (inProcess) => idle(ours, inProcess, data.database)),
    ),
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
  for (const name of names) writePage(addResults(await (PARTS[name] as (typeof PARTS)[string])(data), about));
}

async function main(): Promise<void> {
  if (process.platform !== 'linux') throw new Error('The bench reads processor time from /proc, which only Linux has.');
  const asked = process.argv.slice(2);
  const unknown = asked.filter((name) => !(name in PARTS));
  if (unknown.length > 0) throw new Error(`${unknown} is no part of the bench: ${Object.keys(PARTS).join(', ')}.`);
  await preparePeers();
  const directories = await embeddedData();
  const database = await postgresqlData();
  await measure(asked.length > 0 ? asked : Object.keys(PARTS), { database, directories }).finally(() => {
    killAll();
    return database.drop();
  });
}

await main();
