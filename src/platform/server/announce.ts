import type { FastifyInstance } from 'fastify';
import type { DemoPerson } from '../application.js';
import type { Database } from '../database/open.js';
import type { Config } from './config.js';

interface Announcement {
  title: string;
  config: Config;
  database: Database;
  /** Where it listens, as a URL. */
  address: string;
  demo: DemoPerson | undefined;
  /** What is served. */
  app: Pick<FastifyInstance, 'notWritten' | 'restEntry'>;
}

/** What a newcomer reads at start. */
export function announce({ title, config, database, address, demo, app }: Announcement): void {
  const { notWritten, restEntry } = app;
  const url =
    config.PUBLIC_URL?.replace(/(?<!\/)\/+$/, '') ?? address.replace(/\/\/(127\.0\.0\.1|\[::1\])(?=:)/, '//localhost');
  const lines = [
    '',
    `  ${title} is ready.`,
    '',
    `  Database   ${database.label}${database.migrated.length > 0 ? ` (migrated: ${database.migrated.join(', ')})` : ''}`,
    `  REST       ${restEntry.prefixes.map((prefix) => url + prefix).join('  ')}`,
    `  GraphQL    ${url}/graphql`,
    `  Docs       ${url}/docs`,
    `  Contracts  ${url}/openapi.yaml  ${url}/schema.graphql`,
  ];
  if (demo) {
    lines.push('', `  Demo login ${demo.email} / ${demo.password}`);
    if (restEntry.sample) lines.push(`  Try it     curl -u '${demo.email}:${demo.password}' ${url}${restEntry.sample}`);
  }
  if (notWritten.length > 0) lines.push('', `  Not written yet (501): ${notWritten.join(', ')}`);
  console.log(`${lines.join('\n')}\n`);
}
