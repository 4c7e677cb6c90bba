import { readFileSync } from 'node:fs';
import t from 'tap';
import { application } from '../../../src/application/application.js';
import { allParts } from '../../../src/platform/server/all-parts.js';
import { memoryDatabase } from '../../support/databases.js';
import { startInstance } from '../../support/service.js';

t.test('a contract that needs a missing part does not start, and the message names the line', async (t) => {
  const lines = Object.fromEntries(
    ['openapi.yaml', 'schema.graphql'].map((file) => [file, readFileSync(file, 'utf8').split('\n')]),
  );
  for (const [part, says, file, text] of [
    ['limits', 'the response 429', 'openapi.yaml', /429/],
    ['browsers', 'cookieAuth', 'openapi.yaml', /cookieAuth:/],
    ['observability', 'metricsToken', 'openapi.yaml', /metricsToken:/],
    ['live', 'type Subscription', 'schema.graphql', /type Subscription/],
  ] as const) {
    const changed = { ...application, parts: allParts.filter(({ name }) => name !== part) };
    const error = await startInstance(t, await memoryDatabase(t), {}, { changed }).then(
      () => new Error('it starts'),
      (refusal: Error) => refusal,
    );
    const [, line] = /^[\w.]+:(\d+) /.exec(error.message) ?? [];
    t.equal(error.message, `${file}:${line} declares ${says}. Add ${part}() to \`parts\`.`);
    t.match(lines[file]?.[Number(line) - 1], text);
  }
});
