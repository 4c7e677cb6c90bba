import type { KeyEntry } from '../services/key-administration.js';
import { administer } from './administer.js';
import { table } from './output.js';
import type { Subcommand } from './program.js';

const print = (keys: KeyEntry[]) => console.log(table(keys as never, ['kid', 'state', 'signsFrom', 'verifiesUntil']));

/** `accord keys list|rotate|retire`: the signing keys, beside running servers and without restarting them. */
const keys: Subcommand = (command) => {
  command
    .command('list')
    .description('show the keys with their states: next, current, retired')
    .action(() => administer(async (commands) => print(await commands['keys.list']({}))));
  command
    .command('rotate')
    .description('publish a new key; it signs 310 seconds later, when no verifier keeps the old key set any more')
    .action(() => administer(async (commands) => print(await commands['keys.rotate']({}))));
  command
    .command('retire')
    .description('take a key out of use at once, for one that has leaked; its tokens are refused')
    .argument('<kid>', 'the id of the key')
    .action((kid: string) => administer(async (commands) => print(await commands['keys.retire']({ kid }))));
};

export default keys;
