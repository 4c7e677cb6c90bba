import { print } from 'graphql';
import { checkOpenApiItself } from '../model/check-openapi.js';
import { checkPrismaSchema } from '../model/check-prisma.js';
import { checkSchemaItself } from '../model/check-schema.js';
import type { Contracts, Texts } from '../model/contracts.js';
import type { OpenApiSource } from '../model/openapi-source.js';
import type { Problem } from '../model/problems.js';
import type { SdlSource } from '../model/sdl-source.js';
import { acceptances } from './accepted.js';
import { type Change, inOrder, type Touched, type Verdict } from './change.js';
import { databaseChanges, missingMigration } from './database.js';
import { graphqlChanges } from './graphql.js';
import { foldRenames } from './renames.js';
import { requestsIn, restChanges } from './rest.js';
import { severityProblems, withSeverity } from './severity.js';
import { touched } from './touched.js';
import { type VersionDemand, versionDemand } from './version.js';
import type { ProjectVersion } from './versions.js';

/** A change with the code it touches, and with the reason for which it was accepted. */
export interface Reported extends Omit<Change, 'likeness' | 'what' | 'settled'> {
  /** The requests of the operations that it concerns, as the newest contract that has them writes them. */
  requests: { method: string; path: string }[];
  touches: Touched;
  accepted?: string;
}

/** What changed between two versions of a project. */
export interface Report {
  /** What the versions are called. */
  from: string;
  to: string;
  version: VersionDemand;
  counts: Record<Verdict, number> & { accepted: number };
  /** Worst first. */
  changes: Reported[];
  /** Ids in x-accepted-breaks that are no break of this diff, and may go. */
  stale: string[];
  /** Whether no break is left that was not accepted. */
  ok: boolean;
}

interface DiffOptions {
  /** The project whose code is looked through. */
  root: string;
  before: ProjectVersion;
  after: ProjectVersion;
  /** The time at which sunsets are looked at. */
  now?: Date;
}

/** The problems of both versions, whose files are told apart by the version's name. A text that both have is checked once. */
export async function problemsOf({ root, before, after }: DiffOptions): Promise<Problem[]> {
  const [old, current] = [before.contracts, after.contracts];
  const ofBefore = (problems: Problem[]) =>
    problems.map((one) => ({ ...one, file: one.file === before.label ? one.file : `${one.file} at ${before.label}` }));
  const found = await Promise.all([
    checkOpenApiItself(current.openapi),
    differs('openapi', before, after) ? checkOpenApiItself(old.openapi).then(ofBefore) : [],
    checkSchemaItself(current.schema),
    differs('schema', before, after) ? ofBefore(checkSchemaItself(old.schema)) : [],
    differs('prisma', before, after) && current.prisma.text !== '' ? checkPrismaSchema(root, current.prisma) : [],
  ]);
  const problems = found.flat();
  return problems.length > 0 ? problems : severityProblems(current);
}

/** Whether any file of it differs. Which files a contract has, whoever reads it knows, and the newer one is read in any case. */
function differs(key: keyof Texts, before: ProjectVersion, after: ProjectVersion): boolean {
  const [old, current] = [before.contracts, after.contracts];
  if (old[key].text !== current[key].text) return true;
  return key === 'openapi' && [...current.openapi.texts].some(([file, text]) => isOther(old.openapi, file, text));
}

/** The first file has the name by which its version is called. */
const isOther = (old: OpenApiSource, file: string, text: string): boolean =>
  text !== (old.texts.get(file) ?? (text === old.text ? text : undefined));

/** All changes between two versions of sound contracts, with renames told as such, worst first. */
export async function changesBetween(
  before: ProjectVersion,
  after: ProjectVersion,
  now = new Date(),
): Promise<Change[]> {
  const [old, current] = [before.contracts, after.contracts];
  const graphql = differs('schema', before, after) ? await graphqlChanges(old.schema, current.schema, now) : [];
  const rest = differs('openapi', before, after) ? restChanges(old.openapi, current.openapi, now) : [];
  const database = foldRenames(databaseChanges(old.prisma, current.prisma));
  const migration = missingMigration(database, before.migrations, after.migrations);
  return inOrder(withSeverity([...foldRenames([...rest, ...graphql]), ...migration, ...database], after.contracts));
}

/** Whether one of the contracts says anything else, be it a word; in which files, is all the same. */
function saysOther({ openapi: oldRest, schema: oldSdl }: Contracts, { openapi, schema }: Contracts): boolean {
  const definitions = ({ document }: SdlSource) => document.definitions.map(print).sort().join('\n');
  if (oldSdl.text !== schema.text && definitions(oldSdl) !== definitions(schema)) return true;
  return JSON.stringify(oldRest.written) !== JSON.stringify(openapi.written);
}

const versionOf = ({ written }: OpenApiSource) => String(written.info.version);

/** The whole report on two versions of sound contracts. */
export async function diffReport({ root, before, after, now }: DiffOptions): Promise<Report> {
  const [old, current] = [before.contracts.openapi, after.contracts.openapi];
  const changes = await changesBetween(before, after, now);
  const breaks = changes.filter(({ verdict }) => verdict === 'breaking');
  const { reasons, stale } = acceptances(
    old,
    current,
    breaks.map(({ id }) => id),
  );
  const requests = new Map([...requestsIn(old), ...requestsIn(current)].map((one) => [one.id, one]));
  const touches = await touched(root, changes, new Map([...requests].map(([id, { address }]) => [id, address])));
  const count = (wanted: Verdict) => changes.filter(({ verdict, id }) => verdict === wanted && !reasons.has(id)).length;
  const textChanged = saysOther(before.contracts, after.contracts);
  return {
    from: before.label,
    to: after.label,
    version: versionDemand(versionOf(old), versionOf(current), changes, textChanged),
    counts: { breaking: count('breaking'), risky: count('risky'), safe: count('safe'), accepted: reasons.size },
    changes: changes.map(({ likeness: _likeness, what: _what, settled: _settled, ...change }, index) => {
      const accepted = reasons.get(change.id);
      const found = touches[index] as Touched;
      const requested = change.side === 'rest' ? change.elements.flatMap((id) => requests.get(id) ?? []) : [];
      const shown = requested.map(({ method, path }) => ({ method, path }));
      return { ...change, requests: shown, touches: found, ...(accepted !== undefined && { accepted }) };
    }),
    stale,
    ok: count('breaking') === 0,
  };
}
