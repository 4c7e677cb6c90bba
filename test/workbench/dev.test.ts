import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { measured } from '../support/measured.js';
import { ask, eventually, run } from '../support/process.js';
import { copyProject } from '../support/project-copy.js';
import { skipUnlessWhole } from '../support/servers.js';

t.test(
  'accord dev keeps the last good server through invalid edits, and serves valid ones',
  { skip: skipUnlessWhole },
  async (t) => {
    const root = copyProject(t, {});
    const contract = join(root, 'openapi.yaml');
    const original = readFileSync(contract, 'utf8');

    // With this variable of npm, the server also ends if this test is killed.
    const environment = { PORT: '0', DATABASE_URL: 'pglite://./data', npm_lifecycle_event: 'dev', ...measured };
    const dev = run(t, [process.execPath, 'src/platform/server/cli/bin.js', '--root', root, 'dev'], environment);
    const output = () => dev.stdout() + dev.stderr();
    /** Returns the address of the `n`th server. */
    const server = (n: number) =>
      eventually(
        `server ${n} of:\n${output()}`,
        () => [...dev.stdout().matchAll(/^ {2}REST {7}(\S+)\/api\/v1$/gm)][n - 1]?.[1],
      );
    const published = async (url: string) => (await ask(`${url}/openapi.yaml`)).text();
    /** Returns the generated contract with the address of a server. */
    const generated = (url: string) =>
      readFileSync(join(root, 'generated/openapi.yaml'), 'utf8')
        .replace(/^#.*\n#.*\n\n/, '')
        .replace(
          /url: http:\/\/localhost:3000\n *description: .*/,
          `url: ${url}\n    description: Where this contract is served.`,
        );

    const first = await server(1);
    const served = await published(first);
    t.equal(served, generated(first));

    const halfTyped = original.replace("'#/components/schemas/EmailAddress'", "'#/components/schemas/EmailAddr'");
    const line = halfTyped.slice(0, halfTyped.indexOf("EmailAddr'")).split('\n').length;
    writeFileSync(contract, halfTyped);
    await eventually(
      'an error of the contract',
      () => output().includes('The last good server keeps running.') || undefined,
    );
    t.match(output(), new RegExp(`^\\[dev\\] openapi\\.yaml:${line}:\\d+ `, 'm'), 'the place is told');
    t.match(output(), new RegExp(`^ +${line} \\| .*EmailAddr'`, 'm'), 'and shown');
    t.equal(await published(first), served, 'the server goes on with the contract that it knows');

    const edited = original
      .replace(/^( {2}version: ).*/m, '$199.0.0')
      .replace(/^( *)operationId: getLiveness$/m, '$&\n$1x-edited: true')
      .replace(/^ {4}EmailAddress:\n {6}description: .*/m, '    EmailAddress:\n      description: Where letters go.');
    writeFileSync(contract, edited);
    const second = await server(2);
    t.equal(await published(second), generated(second), 'a good edit is served');
    t.match(generated(second), /^ {2}version: 99\.0\.0$/m);
    t.match(readFileSync(join(root, 'generated/openapi.ts'), 'utf8'), 'Where letters go.', 'and generated from');
    await t.rejects(fetch(first), 'the first server is gone');

    const handlers = join(root, 'src/application/rest/users.ts');
    const written = readFileSync(handlers, 'utf8');
    writeFileSync(handlers, `${written}\nexport const half = (`);
    await eventually('an error of the code', () => output().includes('The code cannot be loaded.') || undefined);
    t.equal(await published(second), generated(second), 'the server goes on with the code that it knows');
    writeFileSync(handlers, `${written}\n// mended\n`);
    const third = await server(3);
    t.equal(await published(third), generated(third));

    const split = edited.replace(/^( {4}EmailAddress:)(\n {6}.*)+/m, '$1 { $ref: ./parts/email.yaml }');
    const [, part = ''] = /^ {4}EmailAddress:\n((?: {6}.*\n)+)/m.exec(edited) ?? [];
    mkdirSync(join(root, 'parts'));
    writeFileSync(join(root, 'parts/email.yaml'), part.replaceAll(/^ {6}/gm, ''));
    writeFileSync(contract, split);
    const fourth = await server(4);
    t.equal((await published(fourth)).replaceAll(fourth, third), generated(third), 'a part of its own changes nothing');
    writeFileSync(join(root, 'parts/email.yaml'), part.replaceAll(/^ {6}/gm, '').replace('letters go', 'parcels go'));
    const fifth = await server(5);
    t.match(await published(fifth), 'Where parcels go.', 'and is watched');

    dev.kill('SIGINT');
    t.equal((await dev.ended).code, 0, 'and both end upon a signal');
    await t.rejects(fetch(fifth));
  },
);
