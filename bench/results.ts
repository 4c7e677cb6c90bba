import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FlowName, UNITS } from './flows.js';
import { ROOT } from './server.js';

/** The figure of a variant of a flow. */
export interface Figure {
  variant: string;
  /** Accord, a hand-written server (`limit`), an alternative (`peer`), or Accord with other work (`beside`). */
  kind: 'accord' | 'limit' | 'peer' | 'beside';
  /** The median of the rounds, in the unit of the flow. */
  value: number;
  /** The minimum and the maximum of the rounds. */
  spread: [number, number];
  /** Answers per second. */
  rate?: number;
  /** Milliseconds. */
  p50?: number;
  p99?: number;
  /** The number of requests with Retry-After. Only the processor time includes them. */
  refused?: number;
}

export type Measurements = Partial<Record<FlowName, Figure[]>>;

/** The figures of one request at each size. */
export interface GrowthRow {
  what: string;
  unit: keyof typeof UNITS;
  values: number[];
}

export interface Growth {
  /** The thing that grows. */
  title: string;
  sizes: readonly number[];
  rows: GrowthRow[];
}

/** The shares of the processor time of a flow. */
export interface Profile {
  /** Microseconds per request with the profiler. */
  cpu: number;
  /** Percent by owner. */
  shares: Record<string, number>;
}

/** What a request makes. */
export interface Made {
  /** Bytes, and those of them that a minor collection leaves. */
  allocated: number;
  promoted: number;
  promises: number;
  /** Hidden classes of V8. */
  maps: number;
}

export interface Results {
  /** The date of each flow. All variants of a flow have one run, but flows may have different ones. */
  dates: Partial<Record<FlowName, string>>;
  machine: string;
  node: string;
  postgresql: string;
  versions: Record<string, string>;
  rounds: number;
  seconds: number;
  flows: Measurements;
  growth?: { date: string; of: Record<string, Growth> };
  made?: { date: string; of: Record<string, Made> };
  profiles?: { date: string; of: Partial<Record<FlowName, Profile>> };
}

const FILE = join(ROOT, 'bench', 'results.json');

/** The results by the major version of Node. */
export type AllResults = Record<string, Results>;

export const readResults = (): AllResults => JSON.parse(readFileSync(FILE, 'utf8'));

/** Returns the versions of Node with results, the newest first. */
export const nodesIn = (all: AllResults): string[] => Object.keys(all).sort((a, b) => Number(b) - Number(a));

const [NODE = ''] = process.versions.node.split('.');

/** The common data of one run. */
export type About = Omit<Results, 'flows' | 'dates' | 'growth' | 'profiles' | 'made'>;

/** Changes the results of this version of Node, and returns all. */
function change(about: About, by: (before: Partial<Results>) => Partial<Results>): AllResults {
  const all = readResults();
  const nothing = { dates: {}, flows: {} };
  const before = all[NODE] ?? nothing;
  const results = { ...all, [NODE]: { ...nothing, ...before, ...about, ...by(before) } };
  writeFileSync(FILE, `${JSON.stringify(results, null, 2)}\n`);
  return results;
}

const today = () => new Date().toISOString().slice(0, 10);

/** Replaces the figures of the measured flows. */
export const addResults = (flows: Measurements, about: About): AllResults =>
  change(about, (before) => {
    const now = Object.fromEntries(Object.keys(flows).map((name) => [name, today()]));
    return { dates: { ...before.dates, ...now }, flows: { ...before.flows, ...flows } };
  });

export const addGrowth = (of: Record<string, Growth>, about: About): AllResults =>
  change(about, () => ({ growth: { date: today(), of } }));

export const addMade = (of: Record<string, Made>, about: About): AllResults =>
  change(about, () => ({ made: { date: today(), of } }));

export const addProfiles = (of: Partial<Record<FlowName, Profile>>, about: About): AllResults =>
  change(about, () => ({ profiles: { date: today(), of } }));

/** Returns the day of the measurements, or the first and the last day. */
export function daysOf({ dates }: Results): string {
  const days = [...new Set(Object.values(dates))].sort();
  return days.length > 1 ? `${days[0]} to ${days.at(-1)}` : `${days[0]}`;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Returns the figure of a variant's rounds. */
export const figureOf = (variant: string, kind: Figure['kind'], rounds: number[]): Figure => ({
  variant,
  kind,
  value: rounded(median(rounds)),
  spread: [rounded(Math.min(...rounds)), rounded(Math.max(...rounds))],
});

/** Rounds to three significant digits and at most three decimals; more would be noise. */
export const rounded = (value: number): number => Number(Number(value.toPrecision(3)).toFixed(3));
