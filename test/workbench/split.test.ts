import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'graphql';
import t, { type Test } from 'tap';
import { parse as parseYaml, stringify } from 'yaml';
import { useProject } from '../../src/platform/root.js';
import { accord } from '../support/accord.js';
import { contractsFrom } from '../support/contracts.js';
import { ROOT, temporaryFolder } from '../support/process.js';
import { copyProject } from '../support/project-copy.js';

// Contracts in several files.

function write(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: folder });

function commit(folder: string): void {
  git(folder, 'init', '--quiet');
  git(folder, 'add', '.');
  git(folder, 'commit', '--quiet', '--allow-empty', '--message=theirs');
}

function repository(t: Test, files: Record<string, string>): string {
  const folder = temporaryFolder(t);
  write(folder, files);
  commit(folder);
  return folder;
}

const asked = (t: Test, root: string, ...args: string[]) => accord(t, ['--root', root, ...args]);

// The contract in one file, and parts of it.
const HEAD = `openapi: 3.1.0
info: { title: Library, version: 1.4.0, license: { name: MIT, identifier: MIT } }
servers: [{ url: 'https://library.test' }]
security: []
`;
const OPERATION = `operationId: getBook
tags: [books]
summary: A book
`;
const KIND_AND_FAILURE = `Kind: { type: string, description: What it is., enum: [novel, atlas] }
Failure:
  type: object
  description: What went wrong.
  properties:
    message: { type: string, description: For people. }
`;
const within = (spaces: number, text: string) => text.replaceAll(/^(?=.)/gm, ' '.repeat(spaces));

const WHOLE = `${HEAD}tags: [{ name: books, description: What there is. }]
paths:
  /books/{id}:
    parameters:
      - $ref: '#/components/parameters/Id'
    get:
${within(6, OPERATION)}      responses:
        '200':
          description: The book.
          content:
            application/json: { schema: { $ref: '#/components/schemas/Book' } }
        '404':
          $ref: '#/components/responses/NotFound'
components:
  parameters:
    Id: { name: id, in: path, required: true, description: Which., schema: { type: integer } }
  responses:
    NotFound:
      description: There is none.
      content:
        application/json: { schema: { $ref: '#/components/schemas/Failure' } }
  schemas:
    Book:
      type: object
      description: What is lent.
      required: [title]
      properties:
        title: { type: string, description: Its words., maxLength: 100 }
        kind: { $ref: '#/components/schemas/Kind' }
${within(4, KIND_AND_FAILURE)}`;

/** The same contract in files: a path, a section, a file of several components, and a file that only a reference names. */
const SPLIT = {
  'openapi.yaml': `${HEAD}tags: { $ref: ./common/tags.yaml }
paths:
  /books/{id}: { $ref: ./paths/book.yaml }
components:
  parameters:
    Id: { $ref: './common/shared.yaml#/parameters/Id' }
  responses:
    NotFound: { $ref: './common/shared.yaml#/responses/NotFound' }
  schemas: { $ref: './schemas/index.yaml' }
`,
  'common/tags.yaml': '- { name: books, description: What there is. }\n',
  'common/shared.yaml': `parameters:
  Id: { name: id, in: path, required: true, description: Which., schema: { type: integer } }
responses:
  NotFound:
    description: There is none.
    content:
      application/json: { schema: { $ref: '../openapi.yaml#/components/schemas/Failure' } }
`,
  'paths/book.yaml': `parameters:
  - $ref: '../common/shared.yaml#/parameters/Id'
get:
${within(2, OPERATION)}  responses:
    '200':
      description: The book.
      content:
        application/json: { schema: { $ref: ../schemas/Book.yaml } }
    '404':
      $ref: '../openapi.yaml#/components/responses/NotFound'
`,
  'schemas/index.yaml': `Book: { $ref: ./Book.yaml }
${KIND_AND_FAILURE}`,
  'schemas/Book.yaml': `type: object
description: What is lent.
required: [title]
properties:
  title: { type: string, description: Its words., maxLength: 100 }
  kind: { $ref: './index.yaml#/Kind' }
`,
};

const published = async (t: Test, root: string) => {
  useProject(root);
  t.teardown(() => useProject(undefined));
  const contracts = await contractsFrom(readFileSync(join(root, 'openapi.yaml'), 'utf8'), 'type Query { a: Int }');
  const { openapiYaml, openapiJson } = (await contracts.at('https://library.test')).documents;
  return [openapiYaml.toString(), openapiJson.toString()];
};

t.test('the published contract does not depend on the files', async (t) => {
  const [whole, split] = [repository(t, { 'openapi.yaml': WHOLE }), repository(t, SPLIT)];
  t.same(await published(t, split), await published(t, whole));
});

t.test('splitting a contract is no change, at a ref, in a folder or in a file', async (t) => {
  const root = repository(t, { 'openapi.yaml': WHOLE });
  const whole = repository(t, { 'openapi.yaml': WHOLE });
  write(root, SPLIT);
  for (const args of [['HEAD'], [whole], [join(root, 'openapi.yaml'), join(whole, 'openapi.yaml')], [whole, root]]) {
    const { code, stdout, stderr } = await asked(t, root, 'diff', ...args, '--json');
    t.equal(stderr, '');
    const { changes, version } = JSON.parse(stdout);
    t.same([code, changes, version.bump], [0, [], 'none'], args.join(' '));
  }
});

t.test('a change in a file is placed in that file, old and new', async (t) => {
  const root = repository(t, SPLIT);
  write(root, {
    'schemas/Book.yaml': SPLIT['schemas/Book.yaml'].replace('100', '10').replace('  kind:', '  sort:'),
  });
  const { stdout } = await asked(t, root, 'diff', '--json');
  const { changes } = JSON.parse(stdout);
  const places = changes.map(({ id, place }: { id: string; place: { file: string; line: number; old: boolean } }) =>
    [id, place.file, place.line, place.old].join(' '),
  );
  t.match(places.join('\n'), /^rest:Book:response\.title:maxLength\S* schemas\/Book\.yaml 5 false$/m);
  t.notOk(
    places.some((place: string) => !place.includes('schemas/Book.yaml 5') && !place.includes('schemas/Book.yaml 6')),
  );
});

t.test('lint prints places in the edited files, with their lines', async (t) => {
  const root = repository(t, SPLIT);
  const { stdout: sound } = await asked(t, root, 'lint', '--json');
  write(root, {
    'paths/book.yaml': SPLIT['paths/book.yaml'].replace("'200'", "'299x'").replace('tags: [books]', 'tags: [bokks]'),
    'schemas/Book.yaml': SPLIT['schemas/Book.yaml'].replace('type: string', 'type: strung'),
  });
  const { code, stdout, stderr } = await asked(t, root, 'lint');
  t.same([code, stderr], [1, '']);
  t.match(stdout, /^schemas\/Book\.yaml:5:\d+ {2}error/m);
  t.match(stdout, / 5 \| {3}title: \{ type: strung/);
  t.match(stdout, /^paths\/book\.yaml:8:5 {2}error/m);
  t.notMatch(sound, '"severity": "error"');
});

t.test('a reference that cannot be followed is reported at its place', async (t) => {
  const bomb = `a: &a [x, x, x, x, x, x, x, x, x]
${['b', 'c', 'd', 'e', 'f'].map((name, index) => `${name}: &${name} [${`*${'abcdef'[index]}, `.repeat(9)}]`).join('\n')}
`;
  const outside = temporaryFolder(t);
  write(outside, { 'secret.yaml': 'type: string\n' });
  const cases: [string, Record<string, string>, RegExp][] = [
    [
      'a file that is not there',
      { 'schemas/Book.yaml': 'allOf:\n  - $ref: ./Bok.yaml\n' },
      /^schemas\/Book\.yaml:2:11 .*there is no schemas\/Bok\.yaml\..*file-references/m,
    ],
    [
      'a pointer to nothing',
      { 'schemas/Book.yaml': "allOf:\n  - $ref: './index.yaml#/Knd'\n" },
      /^schemas\/Book\.yaml:2:11 .*leads to nothing in schemas\/index\.yaml/m,
    ],
    [
      'a pointer into its own file, as it was before the split',
      { 'schemas/Book.yaml': "allOf:\n  - $ref: '#/components/schemas/Kind'\n" },
      /^schemas\/Book\.yaml:2:11 .*A # alone is this file; openapi\.yaml is \.\.\/openapi\.yaml#\./m,
    ],
    [
      'a circle of references',
      { 'schemas/Book.yaml': '$ref: ./Other.yaml\n', 'schemas/Other.yaml': '$ref: ./Book.yaml\n' },
      /^schemas\/index\.yaml:1:15 .*leads to nothing but itself/m,
    ],
    [
      'a reference below itself',
      { 'schemas/Book.yaml': "allOf:\n  - $ref: '#/x'\nx: { $ref: '#/x/y' }\n" },
      /^schemas\/Book\.yaml:2:11 .*leads to nothing but itself/m,
    ],
    [
      'a file that holds itself',
      { 'paths/book.yaml': 'get: { $ref: ./book.yaml }\n' },
      /^paths\/book\.yaml:1:14 .*is part of its own target/m,
    ],
    [
      'the network',
      { 'schemas/Book.yaml': 'allOf:\n  - $ref: http://127.0.0.1:9/x.yaml\n' },
      /^schemas\/Book\.yaml:2:11 .*leads to the network/m,
    ],
    [
      'a folder above',
      { 'schemas/Book.yaml': 'allOf:\n  - $ref: ../../secret.yaml\n' },
      /^schemas\/Book\.yaml:2:11 .*out of the project's folder/m,
    ],
    [
      'an absolute path',
      { 'schemas/Book.yaml': 'allOf:\n  - $ref: /etc/passwd\n' },
      /^schemas\/Book\.yaml:2:11 .*out of the project's folder/m,
    ],
    [
      'a link that leads out',
      { 'schemas/Book.yaml': 'allOf:\n  - $ref: ../out/secret.yaml\n' },
      /^schemas\/Book\.yaml:2:11 .*out of the project's folder/m,
    ],
    [
      'YAML that does not parse',
      { 'schemas/Book.yaml': 'type: object\nproperties: {\n' },
      /^schemas\/Book\.yaml:\d+:\d+ .*syntax/m,
    ],
    ['an alias bomb', { 'schemas/Book.yaml': bomb }, /^schemas\/Book\.yaml:6:40 .*aliases/m],
    [
      'an alias to what it stands in',
      { 'schemas/Book.yaml': 'properties: &a\n  self: *a\n' },
      /^schemas\/Book\.yaml:2:9 .*alias/m,
    ],
  ];
  for (const [name, files, expected] of cases) {
    const root = temporaryFolder(t);
    write(root, { ...SPLIT, ...files });
    symlinkSync(outside, join(root, 'out'));
    const { code, stdout, stderr } = await asked(t, root, 'lint');
    t.same([code, stderr], [1, ''], name);
    t.match(stdout, expected, name);
    t.notMatch(stdout, /^ +at /m, 'no stack');
    useProject(root);
    await t.rejects(
      contractsFrom(readFileSync(join(root, 'openapi.yaml'), 'utf8'), ''),
      { message: /\.yaml/ },
      'nor is it served',
    );
  }
  useProject(undefined);
});

t.test('a schema that only references name becomes a component with its name or that of its file', async (t) => {
  const root = repository(t, {
    ...SPLIT,
    'paths/book.yaml': SPLIT['paths/book.yaml'].replace(
      '../schemas/Book.yaml',
      '../more/Book.yaml, description: Here., properties: { kept: { $ref: ../more/Book.yaml } }',
    ),
    'more/Book.yaml': `oneOf: [{ $ref: './kinds.yaml#/Cat' }, { $ref: './kinds.yaml#/Dog' }]
discriminator: { propertyName: kind, mapping: { cat: './kinds.yaml#/Cat', dog: Dog } }
`,
    'more/kinds.yaml': `Cat: { type: object, properties: { kind: { type: string }, friend: { $ref: '#/Dog' } } }
Dog: { type: object, properties: { kind: { type: string }, home: { $ref: '../openapi.yaml#/components/schemas/Kind' } } }
`,
  });
  const [, json = ''] = await published(t, root);
  const { paths, components } = JSON.parse(json);
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  t.same(paths['/books/{id}'].get.responses[200].content['application/json'].schema, {
    ...ref('Book-2'),
    description: 'Here.',
    properties: { kept: ref('Book-2') },
  });
  const { Cat, Dog, 'Book-2': other } = components.schemas;
  t.same(other.oneOf, [ref('Cat'), ref('Dog')]);
  t.same(other.discriminator.mapping, { cat: '#/components/schemas/Cat', dog: 'Dog' });
  t.same([Cat.properties.friend, Dog.properties.home], [ref('Dog'), ref('Kind')]);
});

const SHOP = {
  'schema.graphql': '"What is sold."\ntype Article {\n  "Its price in cents."\n  price: Int\n}\n',
  'schema/queries/all.graphql': 'type Query {\n  "All of them."\n  articles: [Article!]!\n}\n',
};

t.test('an SDL in several files is one contract', async (t) => {
  const whole = repository(t, { 'schema.graphql': Object.values(SHOP).join('\n') });
  const root = repository(t, SHOP);
  const { code, stdout } = await asked(t, root, 'diff', whole, '--json');
  t.same([code, JSON.parse(stdout).changes, JSON.parse(stdout).version.bump], [0, [], 'none']);
  useProject(root);
  const { schemaGraphql } = await contractsFrom(WHOLE);
  useProject(undefined);
  t.equal(schemaGraphql.toString(), Object.values(SHOP).join('\n'), 'and is published as one document');

  write(root, { 'schema/queries/all.graphql': SHOP['schema/queries/all.graphql'].replace('articles', 'wares') });
  const { changes } = JSON.parse((await asked(t, root, 'diff', '--json')).stdout);
  t.same(
    [
      ...new Set(
        changes.map(({ place: { file, line } }: { place: { file: string; line: number } }) => `${file}:${line}`),
      ),
    ],
    ['schema/queries/all.graphql:3'],
    'read at the ref, with its place',
  );

  write(root, { 'schema/queries/all.graphql': 'type Query {\n  wares: [Artcle!]!\n}\ntype Article { x: Int }\n' });
  const linted = await asked(t, root, 'lint');
  t.equal(linted.code, 1);
  t.match(linted.stdout, /^schema\/queries\/all\.graphql:2:11 .*Artcle/m);
  t.match(linted.stdout, / 2 \| {3}wares/);
  write(root, { 'schema/queries/all.graphql': 'type Query {{\n' });
  t.match((await asked(t, root, 'lint')).stdout, /^schema\/queries\/all\.graphql:1:13 .*syntax/m);
});

/** Rewrites the references in a value. */
function withReferences(value: unknown, rewrite: (reference: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => withReferences(item, rewrite));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) =>
    key === '$ref' && typeof member === 'string' ? [key, rewrite(member)] : [key, withReferences(member, rewrite)],
  );
  return Object.fromEntries(entries);
}

const SCHEMAS = '#/components/schemas/';

/** Splits a contract: one file for each path and response, one for all schemas, and one for all defaults. */
function splitRest(text: string): Record<string, string> {
  const authored = parseYaml(text);
  const { paths, components, 'x-defaults': defaults } = authored;
  const files: Record<string, string> = {};
  const put = (file: string, value: unknown, rewrite: (reference: string) => string) => {
    files[file] = stringify(withReferences(value, rewrite), { aliasDuplicateObjects: false });
    return { $ref: `./${file}` };
  };
  const fromBelow = (reference: string) => {
    if (!reference.startsWith('#')) return `../${reference}`;
    return reference.startsWith(SCHEMAS)
      ? `../schemas.yaml#/${reference.slice(SCHEMAS.length)}`
      : `../openapi.yaml${reference}`;
  };
  const whole = {
    ...authored,
    'x-defaults': put('defaults.yaml', defaults, (reference) => `openapi.yaml${reference}`),
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item], index) => [path, put(`paths/${index}.yaml`, item, fromBelow)]),
    ),
    components: {
      ...components,
      schemas: put('schemas.yaml', components.schemas, (reference) =>
        reference.replace(/^#\/components\/schemas/, '#').replace(/^#\/components/, 'openapi.yaml#/components'),
      ),
      responses: Object.fromEntries(
        Object.entries(components.responses).map(([name, response]) => [
          name,
          put(`responses/${name}.yaml`, response, fromBelow),
        ]),
      ),
    },
  };
  return { ...files, 'openapi.yaml': stringify(whole, { aliasDuplicateObjects: false }) };
}

/** Splits an SDL into one file for each definition. */
const splitSdl = (text: string): Record<string, string> =>
  Object.fromEntries(
    parse(text).definitions.map(({ loc }, index) => [
      `schema/${String(index).padStart(3, '0')}.graphql`,
      `${text.slice(loc?.start, loc?.end)}\n`,
    ]),
  );

t.test('a diff of a commit knows its severities, and reports a changed default once', async (t) => {
  const severities = 'x-severity: { permission-narrowed: safe }\n\ntags:';
  const root = copyProject(t, { 'openapi.yaml': (text) => text.replace('tags:', severities) });
  const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
  execFileSync('git', [...author, 'commit', '--quiet', '--all', '--message=severity'], { cwd: root });
  const clean = await asked(t, root, 'diff', 'HEAD', '--json');
  t.match(JSON.parse(clean.stdout), { changes: [], version: { bump: 'none' } });
  const text = readFileSync(join(root, 'openapi.yaml'), 'utf8');
  write(root, { 'openapi.yaml': text.replace('limits, observability', 'observability') });
  const { changes } = JSON.parse((await asked(t, root, 'diff', 'HEAD', '--json')).stdout);
  t.ok(changes.length > 0 && changes.length < 20, `${changes.length} changes`);
});

t.test('splitting the contracts of the example changes no generated file', async (t) => {
  const root = copyProject(t, {});
  const [openapi, schema] = ['openapi.yaml', 'schema.graphql'].map((file) => readFileSync(join(ROOT, file), 'utf8'));
  const files = { ...splitRest(openapi as string), ...splitSdl(schema as string) };
  t.ok(Object.keys(files).length > 50);
  write(root, files);
  rmSync(join(root, 'schema.graphql'));

  const diff = await asked(t, root, 'diff', 'HEAD', '--json');
  t.equal(diff.stderr, '');
  t.match(JSON.parse(diff.stdout), { changes: [], version: { bump: 'none' } }, 'nothing has changed');

  const generated = await asked(t, root, 'codegen', '--check');
  t.same([generated.code, generated.stderr], [0, ''], 'generated/ is the same, byte for byte');
});
