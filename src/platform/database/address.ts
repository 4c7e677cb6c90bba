import { relative, resolve } from 'node:path';
import { driverUrl, POSTGRESQL, parameterProblems } from './parameters.js';

/** The address of the data. `label` is for people and never contains a password. */
export type DatabaseAddress =
  | { kind: 'embedded'; directory: string | undefined; label: string }
  | { kind: 'postgresql'; url: string; label: string };

const EMBEDDED_PREFIX = 'pglite://';
const ADDRESS_FORMS =
  'pglite://memory, pglite:///absolute/path, pglite://./relative/path or postgres://user:password@host:5432/name';

/**
 * Parses DATABASE_URL, which defaults to the embedded database in `./data`. A relative path starts at the working
 * directory.
 * @throws Error that lists the accepted forms
 */
export function readAddress(url: string | undefined): DatabaseAddress {
  if (!url) return embedded('data');
  if (url.startsWith(EMBEDDED_PREFIX)) {
    const path = url.slice(EMBEDDED_PREFIX.length);
    if (path === 'memory') return { kind: 'embedded', directory: undefined, label: 'embedded PostgreSQL in memory' };
    if (path.includes('?')) throw new Error('DATABASE_URL: an address pglite://… has no parameters.');
    if (/^\.{0,2}\//.test(path)) return embedded(path);
  }
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return postgresql(new URL(url), 'DATABASE_URL');
  // The value may contain a password, so the message shows its scheme only.
  throw new Error(
    `DATABASE_URL (${/^[\w+.-]*:?/.exec(url)?.[0]}…) has an unknown form. Leave it unset, or use ${ADDRESS_FORMS}.`,
  );
}

/**
 * Parses DATABASE_DIRECT_URL.
 * @throws Error unless both addresses are of PostgreSQL
 */
export function directAddress(url: string | undefined, { kind }: DatabaseAddress): string | undefined {
  if (!url) return undefined;
  if (kind === 'postgresql' && /^postgres(ql)?:\/\//.test(url) && URL.canParse(url))
    return postgresql(new URL(url), 'DATABASE_DIRECT_URL').url;
  throw new Error('DATABASE_DIRECT_URL: must be an address such as postgres://…, beside a DATABASE_URL of that form.');
}

function embedded(path: string): DatabaseAddress {
  const directory = resolve(path);
  const near = relative(process.cwd(), directory);
  return {
    kind: 'embedded',
    directory,
    label: `embedded PostgreSQL in ${near.startsWith('..') ? directory : `./${near}`}`,
  };
}

function postgresql(url: URL, variable: string): DatabaseAddress & { kind: 'postgresql' } {
  const problems = parameterProblems(url, POSTGRESQL);
  if (problems.length > 0) throw new Error(problems.map((problem) => `${variable}: ${problem}`).join('\n'));
  const given = (name: string) => url.searchParams.get(name);
  const label = `PostgreSQL at ${given('host') ?? (url.host || 'localhost')}${url.pathname}`;
  return { kind: 'postgresql', url: driverUrl(url), label };
}
