import { print } from 'graphql';
import { checkOpenApi, checkSchema } from '../model/check.js';
import type { Contracts, Texts } from '../model/contracts.js';
import { publishedYaml } from '../model/edition.js';
import type { OpenApiSource } from '../model/openapi-source.js';
import { checkPrismaSchema } from '../model/prisma-schema.js';
import type { Problem } from '../model/problems.js';
import type { ProjectVersion } from '../model/project-version.js';
import type { SdlSource } from '../model/sdl-source.js';
import { type TouchedCode, touched } from '../model/touched-code.js';
import { type Change, sortChanges, type Verdict } from './change.js';
import { databaseChanges, missingMigration } from './database.js';
import { graphqlChanges } from './graphql.js';
import { requestsIn, restChanges } from './rest.js';
import { severityProblems, withSeverity } from './rules.js';

const BUMPS = ['none', 'patch', 'minor', 'major'] as const;
type Bump = (typeof BUMPS)[number];

/** The version that a diff demands (semver.org 2.0.0). */
export interface VersionDemand {
  from: string;
  to: string;
  bump: Bump;
  /** The lowest sufficient version. */
  least: string;
  /** True if `to` is at least that. */
  enough: boolean;
}

/** A change with the code that it touches, and the reason if it was accepted. */
export interface Reported extends Omit<Change, 'settled'> {
  requests: { method: string; path: string }[];
  touches: TouchedCode;
  accepted?: string;
}

export interface DiffReport {
  from: string;
  to: string;
  version: VersionDemand;
  counts: Record<Verdict, number> & { accepted: number };
  changes: Reported[];
  /** The ids in x-accepted-breaks that are no break of this diff. */
  stale: string[];
  /** True if every break was accepted. */
  ok: boolean;
}

interface DiffOptions {
  root: string;
  before: ProjectVersion;
  after: ProjectVersion;
  now?: Date;
}

/** Returns the problems of both versions. Names of old files end with the version. */
export async function problemsOf({ root, before, after }: DiffOptions): Promise<Problem[]> {
  const [old, current] = [before.contracts, after.contracts];
  const ofBefore = (problems: Problem[]) =>
    problems.map((row) => ({ ...row, file: row.file === before.label ? row.file : `${row.file} at ${before.label}` }));
  const found = await Promise.all([
    checkOpenApi(current.openapi, 'reading'),
    differs('openapi', before, after) ? checkOpenApi(old.openapi, 'reading').then(ofBefore) : [],
    checkSchema(current.schema, 'reading'),
    differs('schema', before, after) ? ofBefore(checkSchema(old.schema, 'reading')) : [],
    differs('prisma', before, after) && current.prisma.text !== '' ? checkPrismaSchema(root, current.prisma) : [],
  ]);
  const problems = found.flat();
  return problems.length > 0 ? problems : severityProblems(current);
}

function differs(key: keyof Texts, before: ProjectVersion, after: ProjectVersion): boolean {
  const [old, current] = [before.contracts, after.contracts];
  if (old[key].text !== current[key].text) return true;
  // The first file has the name of its version.
  const textIn = (file: string, text: string) =>
    old.openapi.texts.get(file) ?? (text === old.openapi.text ? text : undefined);
  return key === 'openapi' && [...current.openapi.texts].some(([file, text]) => text !== textIn(file, text));
}

export async function changesBetween(
  before: ProjectVersion,
  after: ProjectVersion,
  now = new Date(),
): Promise<Change[]> {
  const [old, current] = [before.contracts, after.contracts];
  const graphql = differs('schema', before, after) ? await graphqlChanges(old.schema, current.schema, now) : [];
  const rest = differs('openapi', before, after) ? restChanges(old.openapi, current.openapi, now) : [];
  const database = databaseChanges(old.prisma, current.prisma);
  const migration = missingMigration(database, before.migrations, after.migrations);
  return sortChanges(withSeverity([...rest, ...graphql, ...migration, ...database], current));
}

/** Returns true if a contract differs, at least in a description. */
function saysOther({ openapi: oldRest, schema: oldSdl }: Contracts, { openapi, schema }: Contracts): boolean {
  const definitions = ({ document }: SdlSource) => document.definitions.map(print).sort().join('\n');
  if (oldSdl.text !== schema.text && definitions(oldSdl) !== definitions(schema)) return true;
  return publishedYaml(oldRest.written) !== publishedYaml(openapi.written);
}

/**
 * Returns the version that the changes demand. A break demands a major version, even an accepted one; any other change of
 * a contract a minor one; a description or the database a patch. Before 1.0.0, each is one step less (semver 4 and 5).
 */
function versionDemand(from: string, to: string, changes: readonly Change[], textChanged: boolean): VersionDemand {
  const numbers = (version: string) => (version.split(/[-+]/)[0] ?? '').split('.').map(Number);
  const seen = changes.filter(({ side }) => side !== 'database');
  const isBreak = seen.some(({ verdict }) => verdict === 'breaking');
  const step = isBreak ? 3 : seen.length > 0 ? 2 : Number(changes.length > 0 || textChanged);
  const bump: Bump = BUMPS[from.startsWith('0.') && step > 1 ? step - 1 : step] ?? 'none';
  const [major = 0, minor = 0, patch = 0] = numbers(from);
  const next = { patch: [major, minor, patch + 1], minor: [major, minor + 1, 0], major: [major + 1, 0, 0] };
  const least = bump === 'none' ? from : next[bump].join('.');
  const steps = numbers(to).map((part, index) => part - (numbers(least)[index] ?? 0));
  return { from, to, bump, least, enough: (steps.find((step) => step !== 0) ?? 0) >= 0 };
}

/** Returns the accepted breaks of a contract that have an id and a reason. */
const acceptancesIn = ({ written }: OpenApiSource): { change: string; reason: string }[] => {
  const list: unknown = written['x-accepted-breaks'];
  return (Array.isArray(list) ? list : []).filter(
    (entry) => typeof entry?.change === 'string' && typeof entry.reason === 'string' && entry.reason.trim() !== '',
  );
};

/** Returns the reasons of accepted breaks by id, and the ids that accept nothing. An acceptance counts in the diff that adds it. */
function acceptances(before: OpenApiSource, after: OpenApiSource, changes: readonly Change[]) {
  const old = new Set(acceptancesIn(before).map(({ change }) => change));
  const breaks = new Set(changes.filter(({ verdict }) => verdict === 'breaking').map(({ id }) => id));
  const all = acceptancesIn(after);
  const counts = ({ change }: { change: string }) => !old.has(change) && breaks.has(change);
  const reasons = new Map(all.filter(counts).map(({ change, reason }) => [change, reason.trim()]));
  return { reasons, stale: all.filter((entry) => !counts(entry)).map(({ change }) => change) };
}

const versionOf = ({ written }: OpenApiSource) => String(written.info.version);

export async function diffReport({ root, before, after, now }: DiffOptions): Promise<DiffReport> {
  const [old, current] = [before.contracts.openapi, after.contracts.openapi];
  const changes = await changesBetween(before, after, now);
  const { reasons, stale } = acceptances(old, current, changes);
  const requests = new Map([...requestsIn(old), ...requestsIn(current)].map((request) => [request.id, request]));
  const touches = touched(root, changes, new Map([...requests].map(([id, { address }]) => [id, address])));
  const count = (wanted: Verdict) => changes.filter(({ verdict, id }) => verdict === wanted && !reasons.has(id)).length;
  const textChanged = saysOther(before.contracts, after.contracts);
  return {
    from: before.label,
    to: after.label,
    version: versionDemand(versionOf(old), versionOf(current), changes, textChanged),
    counts: { breaking: count('breaking'), risky: count('risky'), safe: count('safe'), accepted: reasons.size },
    changes: changes.map(({ settled: _settled, ...change }, index) => {
      const accepted = reasons.get(change.id);
      const requested = change.side === 'rest' ? change.elements.flatMap((id) => requests.get(id) ?? []) : [];
      const shown = requested.map(({ method, path }) => ({ method, path }));
      return {
        ...change,
        requests: shown,
        touches: touches[index] as TouchedCode,
        ...(accepted !== undefined && { accepted }),
      };
    }),
    stale,
    ok: count('breaking') === 0,
  };
}
