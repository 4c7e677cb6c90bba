import { relative, resolve } from 'node:path';

/** Where the data are. `label` is for people: it never holds a password. */
export type DatabaseAddress =
  | { kind: 'embedded'; directory: string | undefined; label: string }
  | { kind: 'postgresql'; url: string; label: string };

const EMBEDDED = 'pglite://';
const FORMS =
  'pglite://memory, pglite:///absolute/path, pglite://./relative/path or postgres://user:password@host:5432/name';

/**
 * Reads a DATABASE_URL. Unset: the embedded database in `./data`. The path after `pglite://` is taken literally and,
 * when relative, from the working directory. Throws an error that lists the forms when it is none of them.
 */
export function readAddress(url: string | undefined): DatabaseAddress {
  if (!url) return embedded('data');
  if (url.startsWith(EMBEDDED)) {
    const path = url.slice(EMBEDDED.length);
    if (path === 'memory') return { kind: 'embedded', directory: undefined, label: 'embedded PostgreSQL in memory' };
    if (/^\.{0,2}\//.test(path)) return embedded(path);
  }
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return postgresql(new URL(url));
  // The value may hold a password: the message names its scheme only.
  throw new Error(`DATABASE_URL (${/^[\w+.-]*:?/.exec(url)?.[0]}…) is not understood. It is unset, or ${FORMS}.`);
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

function postgresql(url: URL): DatabaseAddress {
  // Prisma's own parameter, which nothing below it reads: silence would put the tables into another schema than asked.
  if ((url.searchParams.get('schema') ?? 'public') !== 'public') {
    throw new Error('DATABASE_URL: only the schema "public" is used; give each installation a database of its own.');
  }
  url.searchParams.delete('schema');
  const host = url.host || url.searchParams.get('host') || 'localhost';
  return { kind: 'postgresql', url: url.href, label: `PostgreSQL at ${host}${url.pathname}` };
}
