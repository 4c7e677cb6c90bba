import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { accord } from '../support/accord.js';
import { temporaryFolder } from '../support/process.js';

// Contracts that were not written for Accord.

/** OpenAPI 3.0 with two tags, an operation without an operationId, and a recursive schema, but without permissions. */
const LIBRARY = `openapi: 3.0.3
info:
  title: Library
  version: 1.4.0
  license: { name: MIT, url: 'https://opensource.org/license/mit' }
servers: [{ url: 'https://library.test' }]
paths:
  /books/{book-id}/comments:
    parameters:
      - { name: book-id, in: path, required: true, schema: { type: integer, minimum: 0, exclusiveMinimum: true } }
    get:
      tags: [books, comments]
      operationId: get-comments
      summary: The comments on a book
      responses:
        '200':
          description: The comments.
          content:
            application/json: { schema: { $ref: '#/components/schemas/Comment' } }
        default:
          description: A failure.
          content:
            application/json: { schema: { $ref: '#/components/schemas/Failure' } }
    post:
      summary: Add a comment
      requestBody:
        content:
          application/json: { schema: { $ref: '#/components/schemas/Comment' } }
      responses:
        '4XX': { description: A failure. }
        '201': { description: Added. }
components:
  schemas:
    Comment:
      description: What a reader says.
      type: object
      required: [text]
      properties:
        text: { description: Its words., type: string, nullable: true }
        answers: { description: Its answers., type: array, items: { $ref: '#/components/schemas/Comment' } }
    Failure:
      description: What went wrong.
      type: object
      properties:
        message: { description: For people., type: string }
`;
const SHOP = `"What is sold."
type Article {
  "Its price in cents."
  price: Int
}

type Query {
  "All of them."
  articles: [Article!]!
}
`;

/** Creates a repository with these files in a commit. */
function repository(t: Test, files: Record<string, string>): string {
  const folder = temporaryFolder(t);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: folder });
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--allow-empty', '--message=theirs');
  return folder;
}
const asked = (t: Test, root: string, ...args: string[]) => accord(t, ['--root', root, ...args]);
const rules = (stdout: string) => JSON.parse(stdout).map(({ rule }: { rule: string }) => rule);

t.test('a single REST contract is linted without the rules of code generation', async (t) => {
  const root = repository(t, { 'openapi.yaml': LIBRARY });
  const { code, stdout, stderr } = await asked(t, root, 'lint', '--json');
  t.same([code, stderr], [1, '']);
  const found = rules(stdout);
  t.ok(found.length > 0);
  const ours = [
    'version',
    'operation-permission',
    'operation-one-tag',
    'operation-id-identifier',
    'response-exact-status',
  ];
  t.same(
    found.filter((rule: string) => [...ours, 'path-parameter-name', 'local-references'].includes(rule)),
    [],
    'none of which the generator alone has need',
  );
  t.ok(found.includes('error-body'), 'and ours that are for readers');
});

t.test('accord diff reports the changes of a foreign contract', async (t) => {
  const root = repository(t, { 'openapi.yaml': LIBRARY });
  t.match(await asked(t, root, 'diff'), { code: 0, stdout: /Nothing changed/ });
  const edited = LIBRARY.replace(', nullable: true', '').replace('minimum: 0, exclusiveMinimum: true', 'minimum: 5');
  writeFileSync(join(root, 'openapi.yaml'), edited);
  const { code, stdout } = await asked(t, root, 'diff', '--json');
  t.equal(code, 1);
  const { changes } = JSON.parse(stdout) as { changes: { verdict: string; message: string }[] };
  t.match(
    changes.map(({ verdict, message }) => `${verdict}: ${message}`),
    [
      /^breaking: minimum of `book-id` of the path parameters of get-comments: 1 → 5/,
      /^breaking: minimum of `book-id` of the path parameters of POST \/books\/\{\}\/comments: 1 → 5/,
      /^breaking: type of `text` of Comment in requests: null \| string → string/,
    ],
  );
  writeFileSync(join(root, 'openapi.yaml'), LIBRARY.replace('openapi: 3.0.3', 'openapi: 3.1.0'));
  const { stdout: printed } = await asked(t, root, 'diff');
  t.notMatch(printed, /\n {4}at /, 'a version of OpenAPI more is no stack');
});

t.test('the same contract in OpenAPI 3.1 is no change', async (t) => {
  const root = repository(t, { 'openapi.yaml': LIBRARY });
  const current = LIBRARY.replace('openapi: 3.0.3', 'openapi: 3.1.0')
    .replace('type: string, nullable: true', "type: [string, 'null']")
    .replace('minimum: 0, exclusiveMinimum: true', 'exclusiveMinimum: 0');
  writeFileSync(join(root, 'openapi.yaml'), current);
  t.match(await asked(t, root, 'diff'), { code: 0, stdout: /Nothing changed that a client sees/ });
});

t.test('members that OpenAPI 3.0 ignores are no change', async (t) => {
  const named = LIBRARY.replace('    Failure:\n', '    example:\n').replace('schemas/Failure', 'schemas/example');
  const root = repository(t, { 'openapi.yaml': named });
  const edited = named
    .replace("{ $ref: '#/components/schemas/example' }", "{ $ref: '#/components/schemas/example', minProperties: 2 }")
    .replace(
      'message: { description: For people., type: string }',
      'message: { description: For people., type: string, nullable: false }',
    );
  t.not(edited, named);
  writeFileSync(join(root, 'openapi.yaml'), edited);
  t.match(await asked(t, root, 'diff'), { code: 0, stdout: /Nothing changed that a client sees/ });
});

t.test('a reference that leads nowhere is reported with its place', async (t) => {
  const text = LIBRARY.replace("'4XX': { description: A failure. }", "'404': { $ref: './gone.yaml' }");
  const root = repository(t, { 'openapi.yaml': text });
  const line = text.split('\n').findIndex((line) => line.includes('./gone.yaml')) + 1;
  const { code, stdout } = await asked(t, root, 'lint', '--json');
  t.equal(code, 1);
  t.match(JSON.parse(stdout), [{ line, message: /gone\.yaml/ }]);
  t.match(await asked(t, root, 'diff'), { code: 2, stderr: new RegExp(`^openapi\\.yaml:${line}:\\d+ .*gone\\.yaml`) });
});

t.test('a reference that leads to itself is reported with its place', async (t) => {
  const text = `${LIBRARY}    Loop: { $ref: '#/components/schemas/Loop' }\n`;
  const used = text.replace("{ $ref: '#/components/schemas/Failure' }", "{ $ref: '#/components/schemas/Loop' }");
  const root = repository(t, { 'openapi.yaml': used });
  for (const command of ['lint', 'diff']) {
    const { stdout, stderr } = await asked(t, root, command);
    t.notMatch(stdout + stderr, /\n {4}at |RangeError/, command);
  }
});

t.test('a single GraphQL contract is linted and compared without the rules of this platform', async (t) => {
  const root = repository(t, { 'schema.graphql': SHOP });
  const { stdout, stderr } = await asked(t, root, 'lint', '--json');
  t.same([stderr, rules(stdout).includes('permission')], ['', false]);
  writeFileSync(join(root, 'schema.graphql'), SHOP.replace('price: Int', 'price: String'));
  t.match(await asked(t, root, 'diff'), { code: 1, stdout: /Article\.price/ });
  writeFileSync(join(root, 'schema.graphql'), SHOP.replace('[Article!]!', '[Artikel!]!'));
  t.match(await asked(t, root, 'diff'), { code: 2, stderr: /^schema\.graphql:9:14 .*Artikel/ });
});

t.test('a command that needs both contracts names the missing one', async (t) => {
  const root = repository(t, { 'openapi.yaml': LIBRARY });
  const lacking = `There is no schema.graphql in ${root}. Run this in the project, or name it with --root.\n`;
  for (const command of ['codegen', 'scaffold']) {
    t.match(await asked(t, root, command), { code: 2, stdout: '', stderr: lacking }, command);
  }
  t.match(await asked(t, root, 'bridge'), { code: 2, stderr: /^There is no schema\.graphql and no prisma\/schema/ });
  t.match(await asked(t, root, 'coverage'), { code: 2, stderr: /^There is nothing in coverage\/contract/ });
});

t.test('a folder without contracts is an error', async (t) => {
  const root = repository(t, {});
  for (const command of ['lint', 'diff', 'coverage', 'codegen', 'scaffold', 'bridge']) {
    const { code, stderr } = await asked(t, root, command);
    t.equal(code, 2, command);
    t.match(stderr, /^There is no openapi\.yaml and no schema\.graphql/, command);
    t.notMatch(stderr, /\n {4}at /, command);
  }
});
