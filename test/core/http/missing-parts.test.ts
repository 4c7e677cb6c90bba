import { readFileSync } from 'node:fs';
import t from 'tap';
import { application } from '../../../src/application/application.js';
import { allParts } from '../../../src/platform/server/all-parts.js';
import { memoryDatabase } from '../../support/databases.js';
import { startInstance } from '../../support/service.js';

t.test('a contract that needs a missing part does not start, and the message names the line', async (t) => {
  const lines = Object.fromEntries(
    ['openapi.yaml', 'schema.graphql', 'generated/openapi.yaml'].map((file) => [
      file,
      readFileSync(file, 'utf8').split('\n'),
    ]),
  );
  for (const [part, says, file, text] of [
    ['limits', 'names limits in x-parts', 'openapi.yaml', /^x-parts:/],
    ['browsers', 'declares a cookie', 'generated/openapi.yaml', /in: cookie/],
    ['observability', 'names observability in x-parts', 'openapi.yaml', /^x-parts:/],
    ['idempotency', 'declares Idempotency-Key', 'openapi.yaml', /Idempotency-Key/],
    ['live', 'declares type Subscription', 'schema.graphql', /type Subscription/],
    ['identity', 'names identity in x-parts', 'openapi.yaml', /^x-parts:/],
  ] as const) {
    const changed = { ...application, parts: allParts.filter(({ name }) => name !== part) };
    const error = await startInstance(t, await memoryDatabase(t), {}, { changed }).then(
      () => new Error('it starts'),
      (refusal: Error) => refusal,
    );
    const [, line] = /^[\w./]+:(\d+) /.exec(error.message) ?? [];
    t.equal(error.message, `${file}:${line} ${says}. Add ${part}() to \`parts\`.`);
    t.match(lines[file]?.[Number(line) - 1], text);
  }
});
