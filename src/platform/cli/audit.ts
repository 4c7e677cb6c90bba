import { InvalidArgumentError, Option } from 'commander';
import { type AuditFilter, EVENTS } from '../audit/audit.js';
import { administer } from './administer.js';
import { table } from './output.js';
import type { Subcommand } from './subcommand.js';

const COLUMNS = ['time', 'event', 'actor', 'subject', 'address', 'requestId'];

const integer = (text: string): number => {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is an integer of at least 1.');
};

const time = (text: string): string => {
  if (Number.isNaN(Date.parse(text))) throw new InvalidArgumentError('It is a time in ISO 8601.');
  return new Date(text).toISOString();
};

/** `accord audit`: the newest security events, the newest last. */
const auditCommand: Subcommand = (command) => {
  command
    .addOption(new Option('--event <event>', 'only these').choices(EVENTS))
    .option('--actor <id>', 'only what this user did', integer)
    .option('--subject <subject>', 'only what is about user:<id>, session:<id> or key:<kid>')
    .option('--since <time>', 'only from then on (ISO 8601)', time)
    .option('--limit <count>', 'how many at most', integer, 100)
    .option('--json', 'a line of JSON for each')
    .action(({ json, root: _root, ...filter }: AuditFilter & { json?: boolean; root?: string }) =>
      administer(async (commands) => {
        const entries = await commands['audit.read'](filter);
        console.log(json ? entries.map((one) => JSON.stringify(one)).join('\n') : table(entries as never, COLUMNS));
      }),
    );
};

export default auditCommand;
