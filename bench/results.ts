import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FlowName, UNITS } from './flows.js';
import { ROOT } from './server.js';

/** What one variant of a flow came to. */
export interface Figure {
  variant: string;
  /** Accord, what one would write by hand, what one would pick instead, or Accord with something else to do. */
  kind: 'accord' | 'limit' | 'peer' | 'beside';
  /** The median of the rounds, in the flow's unit. */
  value: number;
  /** The least and the most of the rounds. */
  spread: [number, number];
  /** Answers a second. */
  rate?: number;
  /** Milliseconds. */
  p50?: number;
  p99?: number;
  /** How many requests were told to come back; they are in no figure but the processor time. */
  refused?: number;
}

/** What was measured of some flows. */
export type Measurements = Partial<Record<FlowName, Figure[]>>;

/** What the same came to at each size of one thing. */
export interface GrowthRow {
  what: string;
  unit: keyof typeof UNITS;
  values: number[];
}

export interface Growth {
  /** What there is more of. */
  title: string;
  sizes: readonly number[];
  rows: GrowthRow[];
}

/** Where the processor time of a flow goes. */
export interface Profile {
  /** Microseconds of each request, with the profiler on. */
  cpu: number;
  /** Percent, by whose it is. */
  shares: Record<string, number>;
}

export interface Results {
  /** When each flow was measured: all its variants in one run, but not all flows in the same. */
  dates: Partial<Record<FlowName, string>>;
  machine: string;
  node: string;
  postgresql: string;
  versions: Record<string, string>;
  rounds: number;
  seconds: number;
  flows: Measurements;
  growth: { date: string; of: Record<string, Growth> };
  profiles: { date: string; of: Partial<Record<FlowName, Profile>> };
}

const FILE = join(ROOT, 'bench', 'results.json');

export const readResults = (): Results => JSON.parse(readFileSync(FILE, 'utf8'));

/** What all figures of one run have in common. */
export type About = Omit<Results, 'flows' | 'dates' | 'growth' | 'profiles'>;

function write(results: Results): Results {
  writeFileSync(FILE, `${JSON.stringify(results, null, 2)}\n`);
  return results;
}

const today = () => new Date().toISOString().slice(0, 10);

/** Puts what was measured now in the place of what was measured before. @returns all that there is then */
export function addResults(flows: Measurements, about: About): Results {
  const before = readResults();
  const now = Object.fromEntries(Object.keys(flows).map((name) => [name, today()]));
  return write({ ...before, ...about, dates: { ...before.dates, ...now }, flows: { ...before.flows, ...flows } });
}

/** The same for growth. */
export const addGrowth = (of: Results['growth']['of'], about: About): Results =>
  write({ ...readResults(), ...about, growth: { date: today(), of } });

/** The same for profiles. */
export const addProfiles = (of: Results['profiles']['of'], about: About): Results =>
  write({ ...readResults(), ...about, profiles: { date: today(), of } });

/** The day of the measurements, or the first and the last. */
export function daysOf({ dates }: Results): string {
  const days = [...new Set(Object.values(dates))].sort();
  return days.length > 1 ? `${days[0]} to ${days.at(-1)}` : `${days[0]}`;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** One figure of the rounds of a variant. */
export const figureOf = (variant: string, kind: Figure['kind'], rounds: number[]): Figure => ({
  variant,
  kind,
  value: rounded(median(rounds)),
  spread: [rounded(Math.min(...rounds)), rounded(Math.max(...rounds))],
});

/** To three digits and no more than three places: what is beyond them is noise. */
export const rounded = (value: number): number => Number(Number(value.toPrecision(3)).toFixed(3));
