import { rmSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { useBooks } from '../support/books.js';
import { blankDatabase } from '../support/databases.js';
import { installedProject, packages, unpack } from '../support/new-project.js';
import { skipUnlessWhole } from '../support/servers.js';

t.test(
  'a project installed from the packed packages without a lockfile works',
  { skip: skipUnlessWhole },
  async (t) => {
    const { folder, command, start } = await installedProject(t);
    await t.test('the tests of the project pass on the embedded database', async (t) => {
      const tested = await command('npm test');
      t.match(tested, { code: 0, stdout: /^# fail 0$/m }, tested.stderr);
      t.match(await command('npx accord scaffold --check'), { code: 0, stderr: '' });
    });
    await t.test('`npm create @accord-api` writes another project', async (t) => {
      unpack(await packages(t), 'create', folder);
      const { code, stdout } = await command('node node_modules/@accord-api/create/bin.js more');
      t.match({ code, stdout }, { code: 0, stdout: /^Written: more$/m });
    });
    await t.test('the service runs on the embedded database', (t) => useBooks(t, 'pglite://memory', start));
    await t.test('the service runs on PostgreSQL', async (t) => useBooks(t, await blankDatabase(t), start));
    await t.test(
      'a project that leaves out @accord-api/prepared-prisma compiles, passes its tests, and runs',
      async (t) => {
        rmSync(join(folder, 'node_modules/@accord-api/prepared-prisma'), { recursive: true });
        t.match(await command('npm run typecheck'), { code: 0 });
        const tested = await command('npm test');
        t.match(tested, { code: 0, stdout: /^# fail 0$/m }, tested.stderr);
        await useBooks(t, await blankDatabase(t), start);
      },
    );
  },
);
