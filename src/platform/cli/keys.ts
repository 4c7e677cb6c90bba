import type { KeyEntry, SecretUse } from '../keys/key-administration.js';
import { administer } from './administer.js';
import { table } from './output.js';
import type { Subcommand } from './subcommand.js';

const print = (keys: KeyEntry[]) => console.log(table(keys as never, ['kid', 'state', 'signsFrom', 'verifiesUntil']));

function printSecrets(secrets: SecretUse[]): void {
  console.log(table(secrets as never, ['secret', 'signingKeys', 'idempotencyKeys', 'until']));
  for (const use of secrets.slice(1)) console.log(`\n${verdict(use)}`);
}

/** Whether an older secret can go. */
function verdict({ secret, signingKeys, until }: SecretUse): string {
  if (signingKeys > 0)
    return `Secret ${secret} is needed: start an instance that has the newest one first, which seals the keys anew.`;
  if (until !== null)
    return `Secret ${secret} is needed until ${until}: requests may be sent again under their idempotency keys.`;
  return `Secret ${secret} is no longer needed. Cursors that were made under it answer 400 once it is gone.`;
}

/** `accord keys list|rotate|retire|secrets`: the signing keys, beside running servers and without restarting them. */
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
    .description('take a key out of use at once, for one that has leaked; its tokens are refused, their sockets closed')
    .argument('<kid>', 'the id of the key')
    .allowUnknownOption() // a thumbprint in base64url may begin with a dash: one of 64 does
    .action((kid: string) => administer(async (commands) => print(await commands['keys.retire']({ kid }))));
  command
    .command('secrets')
    .description('show what still needs each of the secrets in KEY_SECRET, the newest first')
    .action(() => administer(async (commands) => printSecrets(await commands['keys.secrets']({}))));
};

export default keys;
