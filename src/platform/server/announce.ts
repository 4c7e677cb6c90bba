import type { DemoLogin } from '../application.js';
import type { Database } from '../database/open.js';
import type { Config } from './config.js';

interface Announcement {
  config: Config;
  database: Database;
  /** Where it listens, as a URL. */
  address: string;
  demo: DemoLogin | undefined;
  notWritten: string[];
}

/** What a newcomer reads at start. */
export function announce({ config, database, address, demo, notWritten }: Announcement): void {
  const url =
    config.PUBLIC_URL?.replace(/(?<!\/)\/+$/, '') ?? address.replace(/\/\/(127\.0\.0\.1|\[::1\])(?=:)/, '//localhost');
  const lines = [
    '',
    '  Accord is ready.',
    '',
    `  Database   ${database.label}${database.migrated.length > 0 ? ` (migrated: ${database.migrated.join(', ')})` : ''}`,
    `  REST       ${url}/api/v1`,
    `  GraphQL    ${url}/graphql`,
    `  Docs       ${url}/docs`,
    `  Contracts  ${url}/openapi.yaml  ${url}/schema.graphql`,
  ];
  if (demo) {
    lines.push(
      '',
      `  Demo login ${demo.email} / ${demo.password}`,
      `  Try it     curl -u '${demo.email}:${demo.password}' ${url}/api/v1/users`,
    );
  }
  if (notWritten.length > 0) lines.push('', `  Not written yet (501): ${notWritten.join(', ')}`);
  console.log(`${lines.join('\n')}\n`);
}
