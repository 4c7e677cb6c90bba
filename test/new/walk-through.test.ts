import { join } from 'node:path';
import t, { type Test } from 'tap';
import { check } from '../../src/workbench/model/check.js';
import { readContracts } from '../../src/workbench/model/contracts.js';
import { accord } from '../support/accord.js';
import { linkSources, newProject } from '../support/new-project.js';
import { run, startServer, temporaryFolder } from '../support/process.js';
import { skipUnlessWhole } from '../support/servers.js';
import { applyEdit, follow, isRequest, OWN_RESOURCE, type Step } from '../support/walk-through.js';

/** Sends the requests of a page, and compares the responses with its comments and its JSON. */
async function askAll(t: Test, url: string, steps: readonly Step[]): Promise<number> {
  let count = 0;
  for (const [i, step] of steps.entries()) {
    if (step.kind !== 'commands' || !step.lines.some(isRequest)) continue;
    const next = steps[i + 1];
    const answer = next?.kind === 'shown' && next.language === 'json' ? JSON.parse(next.text) : undefined;
    for (const [at, line] of step.lines.entries()) {
      const asked = line.replace('http://localhost:3000', url).replace('curl ', 'curl -s --retry 30 --retry-delay 1 ');
      const { stdout } = await run(t, ['sh', '-c', `${asked} -w '\n%{http_code}'`]).ended;
      const [, body = '', status] = /^([\s\S]*)\n(\d{3})$/.exec(stdout) ?? [];
      t.equal(status, step.statuses[at], line);
      if (answer !== undefined) t.strictSame(JSON.parse(body), answer, line);
      count += 1;
    }
  }
  return count;
}

t.test('the edits of the contracts apply, and result in valid contracts', async (t) => {
  const folder = join(temporaryFolder(t), 'books');
  t.equal((await accord(t, ['new', folder])).code, 0);
  linkSources(folder);
  const first = OWN_RESOURCE.findIndex(({ kind }) => kind === 'commands');
  const edits = OWN_RESOURCE.slice(0, first).flatMap((step) => (step.kind === 'edit' ? step : []));
  t.ok(edits.length > 5);
  for (const edit of edits) applyEdit(folder, edit);
  t.same(await check(await readContracts(folder)), []);
});

t.test('the walk-through of your-own-api.md works', { skip: skipUnlessWhole }, async (t) => {
  const project = await newProject(t);
  await follow(t, project, OWN_RESOURCE);
  const { url } = await startServer(t, { DATABASE_URL: 'pglite://memory' }, project.start);
  t.equal(await askAll(t, url, OWN_RESOURCE), 4);
});
