/** The parameters that an address of a database or of Redis may have. The table in `docs/` is generated from them. @module */

import { suggestionList } from 'graphql/jsutils/suggestionList.js';

/** `used` with these values; `set` by the service, which refuses another value; `refused`, with the remedy. */
export type SessionParameter = { used: string; values: RegExp } | { set: string } | { refused: string };
export type Parameters = Readonly<Record<string, SessionParameter>>;

const all = (names: string, parameter: SessionParameter): Parameters =>
  Object.fromEntries(names.split(' ').map((name) => [name, parameter]));
const used = (names: string, text: string, values = /./) => all(names, { used: text, values });
const set = (names: string, value: string) => all(names, { set: value });
const refused = (names: string, remedy: string) => all(names, { refused: remedy });

/** The parameters of libpq, `pg` and Prisma, for `postgres://…`. */
export const POSTGRESQL: Parameters = {
  ...used(
    'sslmode',
    'disable: plain text; verify-full, and also prefer, require and verify-ca: TLS, with the certificate and the name of the host checked; no-verify: TLS without checks',
    /^(disable|prefer|require|verify-ca|verify-full|no-verify)$/,
  ),
  ...used(
    'uselibpqcompat',
    'true: sslmode as in libpq, but without plain text: prefer and require check nothing, verify-ca does not check the name',
    /^(true|false)$/,
  ),
  ...used(
    'sslrootcert sslcert sslkey',
    'PEM files: what signs the certificate of the server; certificate and key of the client',
  ),
  ...used('sslnegotiation', 'direct: TLS from the first byte (PostgreSQL 17)', /^(postgres|direct)$/),
  ...used('host user password', 'instead of the one in front; the host may be the folder of a Unix socket'),
  ...used('port', 'instead of the one in front', /^\d{1,5}$/),
  ...used('application_name', 'name of all connections in pg_stat_activity; unset: the application, and its purpose'),
  ...used('options', 'settings of the session: -c name=value; those that the service sets win'),
  ...used('lock_timeout', 'milliseconds in which a lock must become free; unset: 1000', /^[1-9]\d{0,8}$/),
  ...used('idle_in_transaction_session_timeout', 'milliseconds, as in PostgreSQL', /^\d{1,9}$/),
  ...set('schema', 'public'),
  ...set('client_encoding', 'UTF8'),
  ...set('keepalives', '1'),
  ...set('target_session_attrs', 'any'),
  ...set('channel_binding gssencmode', 'disable'),
  ...refused('connection_limit', 'set DATABASE_POOL'),
  ...refused('dbname database', 'write the database behind the slash'),
  ...refused('hostaddr', 'use host'),
  ...refused('ssl requiressl sslaccept', 'use sslmode'),
  ...refused('fallback_application_name', 'use application_name'),
  ...refused('connect_timeout', 'leave it out: a connection may take 2 s, and 15 s at the start'),
  ...refused('pool_timeout', 'leave it out: a caller waits up to 2 s for a free connection'),
  ...refused('query_timeout socket_timeout', 'leave it out: an answer may take 4.5 s'),
  ...refused('statement_timeout', 'leave it out: the service sets 4050 ms, and no limit for migrations'),
  ...refused('pgbouncer statement_cache_size', 'leave it out: the start finds out whether a pooler keeps statements'),
  ...refused(
    'keepalives_idle keepalives_interval keepalives_count tcp_user_timeout',
    'use settings of the operating system',
  ),
  ...refused('load_balance_hosts', 'use one address that leads to the primary'),
  ...refused('sslpassword sslidentity', 'use sslkey with a key without a password'),
  ...refused('service servicefile passfile', 'write the values into the address'),
  ...refused(
    'sslcrl sslcrldir sslsni sslcompression sslcertmode ssl_min_protocol_version ssl_max_protocol_version require_auth requirepeer replication krbsrvname gsslib gssdelegation',
    'leave it out: the driver has no such setting',
  ),
};

/** For `redis://…` and `rediss://…`. */
export const REDIS: Parameters = {
  ...used('keyPrefix', 'prefix of all keys and channels'),
  ...used('db', 'number of the database', /^\d{1,5}$/),
  ...used('family', '4 or 6: the version of IP', /^[46]$/),
  ...refused('tls', 'use rediss://'),
  ...refused('username password', 'write it in front of the host'),
};

/** Returns what is wrong with the part of an address behind its path, without the values. */
export function parameterProblems({ searchParams, hash }: URL, known: Parameters): string[] {
  const names = [...searchParams.keys()];
  const problems = [...searchParams].flatMap(([name, value], place) => {
    const rule = Object.hasOwn(known, name) ? known[name] : undefined;
    if (rule === undefined) {
      const [similar] = suggestionList(name, Object.keys(known));
      const advice = similar ? `Did you mean ${similar}?` : 'docs/configuration.md lists the parameters.';
      return `${/^\w{1,40}$/.test(name) ? name : 'a parameter'} is unknown. ${advice}`;
    }
    if (names.indexOf(name) < place) return `${name} occurs twice`;
    if ('refused' in rule) return `${name} is refused: ${rule.refused}`;
    if ('used' in rule) return rule.values.test(value) ? [] : `${name} has a wrong value: ${rule.used}`;
    return value.toLowerCase() === rule.set.toLowerCase() ? [] : `${name} is set to ${rule.set}: leave it out`;
  });
  return hash === '' ? problems : [...problems, 'a # must be written as %23'];
}

/** Removes parameters that the driver does not read, and spells out `sslmode` as the driver reads it, to avoid its warning. */
export function driverUrl(given: URL): string {
  const url = new URL(given);
  const { searchParams } = url;
  for (const [name, rule] of Object.entries(POSTGRESQL)) if (!('used' in rule)) searchParams.delete(name);
  const isChecked = /^(prefer|require|verify-ca)$/.test(searchParams.get('sslmode') ?? '');
  if (isChecked && searchParams.get('uselibpqcompat') !== 'true') searchParams.set('sslmode', 'verify-full');
  return url.href;
}
