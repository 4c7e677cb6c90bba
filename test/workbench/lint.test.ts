import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import graphqlEslint from '@graphql-eslint/eslint-plugin';
import { createConfig } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ESLint } from 'eslint';
import t, { type Test } from 'tap';
import { parse } from 'yaml';
import { bridge } from '../../src/workbench/bridge/bridge.js';
import { SIDE_FILES } from '../../src/workbench/bridge/contract.js';
import { reportJson } from '../../src/workbench/cli/bridge.js';
import { lint } from '../../src/workbench/cli/lint.js';
import { eslintPlugin, GRAPHQL_ERRORS, GRAPHQL_RULES } from '../../src/workbench/lint/eslint.js';
import { OPENAPI_RULES, redoclyPlugin } from '../../src/workbench/lint/redocly.js';
import { REASONS } from '../../src/workbench/lint/rules.js';
import { lintByRedocly } from '../../src/workbench/model/check.js';
import { contractsOf, readContracts, type Texts } from '../../src/workbench/model/contracts.js';
import { EXTENSIONS } from '../../src/workbench/model/extensions.js';
import { openApiOf } from '../../src/workbench/model/openapi-source.js';
import { accord } from '../support/accord.js';
import { editorSchema } from '../support/editor-schema.js';
import { place } from '../support/place.js';
import { ROOT } from '../support/process.js';

/** Small contracts without problems and differences. */
const openapi = `openapi: 3.1.0
info: { title: Notes, version: 1.0.0, license: { name: MIT, identifier: MIT } }
servers: [{ url: 'https://notes.test' }]
tags:
  - { name: notes, description: What people wrote down. }
paths:
  /notes:
    get:
      operationId: listNotes
      tags: [notes]
      summary: List notes
      security: [{ basic: [] }]
      x-permission: { action: notes.list, viewer: any, developer: any, admin: any }
      parameters:
        - { name: limit, in: query, description: How many., schema: { type: integer, minimum: 1, maximum: 50 } }
        - { name: offset, in: query, description: From where., schema: { type: integer, minimum: 0 } }
      responses:
        '200':
          description: Notes.
          headers:
            X-Total-Count: { description: How many., schema: { type: integer, default: 0 }, example: 7 }
          content:
            application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Note' } } }
        '400': { $ref: '#/components/responses/BadRequest' }
    post:
      operationId: createNote
      tags: [notes]
      summary: Create a note
      security: [{ basic: [] }]
      x-permission: { action: notes.create, viewer: none, developer: own, admin: any }
      requestBody:
        required: true
        content:
          application/json: { schema: { $ref: '#/components/schemas/CreateNoteRequest' } }
      responses:
        '201':
          description: Created.
          content:
            application/json: { schema: { $ref: '#/components/schemas/Note' } }
        '400': { $ref: '#/components/responses/BadRequest' }
  /notes/{note_id}:
    get:
      operationId: getNote
      tags: [notes]
      summary: Get a note
      security: [{ basic: [] }]
      x-permission: { action: notes.read, viewer: any, developer: any, admin: any }
      parameters:
        - { name: note_id, in: path, required: true, description: The id., schema: { $ref: '#/components/schemas/NoteId' } }
      responses:
        '200':
          description: The note.
          content:
            application/json: { schema: { $ref: '#/components/schemas/Note' } }
        '404': { $ref: '#/components/responses/NotFound' }
x-unmatched:
  '405': { $ref: '#/components/responses/MethodNotAllowed' }
components:
  securitySchemes:
    basic: { type: http, scheme: basic }
  schemas:
    NoteId: { description: The id of a note., type: integer, minimum: 1 }
    Mood: { description: How it was written., type: string, enum: [calm, in_haste] }
    Note:
      description: A note.
      type: object
      required: [id, text, mood, created_at, _links]
      properties:
        id: { $ref: '#/components/schemas/NoteId' }
        text: { type: string, maxLength: 200, description: What was written. }
        mood: { $ref: '#/components/schemas/Mood' }
        stars: { type: [integer, 'null'], maximum: 5, description: How good it is. }
        created_at: { type: string, format: date-time, description: When it was written. }
        _links: { type: object, description: Where to go. }
    CreateNoteRequest:
      description: A new note.
      type: object
      required: [text, mood]
      properties:
        text: { type: string, maxLength: 200, description: What to write. }
        mood: { $ref: '#/components/schemas/Mood' }
        stars: { type: integer, maximum: 5, description: How good it is. }
    Problem:
      description: What went wrong.
      type: object
      required: [code]
      properties:
        code: { $ref: '#/components/schemas/ErrorCode' }
    ErrorCode: { description: The codes., type: string, enum: [BAD_REQUEST, NOT_FOUND, METHOD_NOT_ALLOWED] }
  responses:
    BadRequest:
      description: '\`BAD_REQUEST\`. It cannot be read.'
      content: { application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } } }
    NotFound:
      description: '\`NOT_FOUND\`. There is none.'
      content: { application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } } }
    MethodNotAllowed:
      description: '\`METHOD_NOT_ALLOWED\`. Not so.'
      content: { application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } } }
`;

const schema = `"""
Notes.

| code | statusCode | when |
|---|---|---|
| \`BAD_REQUEST\` | 400 | unreadable |
| \`NOT_FOUND\` | 404 | there is none |
| \`METHOD_NOT_ALLOWED\` | 405 | REST only |

**Common errors**: \`BAD_REQUEST\`.
"""
schema {
  query: Query
  mutation: Mutation
}

"""
Who may.
"""
directive @permission(
  """
  The action.
  """
  action: String!
  """
  A viewer.
  """
  viewer: Access!
  """
  A developer.
  """
  developer: Access!
  """
  An admin.
  """
  admin: Access!
) repeatable on FIELD_DEFINITION

"""
What a value must be.
"""
directive @constraint(
  """
  Least.
  """
  min: Int
  """
  Greatest.
  """
  max: Int
  """
  Longest.
  """
  maxLength: Int
  """
  Shortest.
  """
  minLength: Int
  """
  What it matches.
  """
  pattern: String
) on ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION

"""
How far.
"""
enum Access {
  """
  Not.
  """
  NONE
  """
  One's own.
  """
  OWN
  """
  Anyone's.
  """
  ANY
}

"""
How it was written.
"""
enum Mood {
  """
  At ease.
  """
  CALM
  """
  Quickly.
  """
  IN_HASTE
}

"""
A note.
"""
type Note {
  """
  The id.
  """
  id: ID!
  """
  What was written.
  """
  text: String!
  """
  How.
  """
  mood: Mood!
  """
  How good it is.
  """
  stars: Int
  """
  When.
  """
  createdAt: String!
}

"""
A new note.
"""
input CreateNoteInput {
  """
  What to write.
  """
  text: String! @constraint(maxLength: 200)
  """
  How.
  """
  mood: Mood!
  """
  How good it is.
  """
  stars: Int @constraint(max: 5)
}

"""
What can be read.
"""
type Query {
  """
  One note.

  Errors: \`NOT_FOUND\`, and the common ones.
  """
  note(
    """
    The id.
    """
    id: ID!
  ): Note @permission(action: "notes.read", viewer: ANY, developer: ANY, admin: ANY)
  """
  All notes.

  Errors: the common ones.
  """
  notes(
    """
    How many.
    """
    limit: Int = 20 @constraint(min: 1, max: 50)
    """
    From where.
    """
    offset: Int = 0 @constraint(min: 0)
  ): [Note!] @permission(action: "notes.list", viewer: ANY, developer: ANY, admin: ANY)
}

"""
What can be changed.
"""
type Mutation {
  """
  Creates a note.

  Errors: the common ones.
  """
  createNote(
    """
    The note.
    """
    input: CreateNoteInput!
  ): Note @permission(action: "notes.create", viewer: NONE, developer: OWN, admin: ANY)
}
`;

const prisma = `enum Mood {
  CALM
  IN_HASTE
}

model Note {
  id        Int      @id @default(autoincrement())
  text      String   @db.VarChar(200)
  mood      Mood
  stars     Int?
  createdAt DateTime @default(now()) @map("created_at")
  version   Int      @default(1)
  authorId  Int // whoever wrote it
}
`;

const documents: Texts = { openapi, schema, prisma };

/** Returns a description in the syntax of SDL. */
const described = (text: string) => `  """\n  ${text}\n  """\n`;

type Edit = readonly [from: string, to: string];

/** Returns a text after an edit. Throws if the edited text is missing. */
function edited(text: string, [from, to]: Edit): string {
  if (!text.includes(from)) throw new Error(`There is no ${from}`);
  return text.replace(from, () => to);
}

const named = (problems: { rule: string; line: number; column: number }[]) =>
  problems.map(({ rule, line, column }) => `${rule} ${line}:${column}`);

const BODY = 'requestBody: { content: { text/plain: { schema: { type: string } } } }';

/** Edits of openapi.yaml that break a rule, with the text at the place of the problem. */
const restCases: [rule: string, edit: Edit, where: string][] = [
  ['operation-id-camel-case', ['operationId: getNote', 'operationId: getNOTE'], 'getNOTE'],
  ['operation-id-verb', ['operationId: getNote', 'operationId: aNote'], 'aNote'],
  ['operation-id-verb', ['operationId: getNote', 'operationId: notesGet'], 'notesGet'],
  [
    'error-body',
    ["'404': { $ref: '#/components/responses/NotFound' }", "'404': { description: None. }"],
    'description: None.',
  ],
  [
    'error-body',
    [
      "      content: { application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } } }\n    NotFound",
      '    NotFound',
    ],
    "description: '`BAD_REQUEST`",
  ],
  ['error-body', ["schema: { $ref: '#/components/schemas/Problem' }", 'example: {}'], "description: '`BAD_REQUEST`"],
  [
    'failure-declared',
    ["        '404': { $ref: '#/components/responses/NotFound' }\nx-unm", 'x-unm'],
    "responses:\n        '200':\n          description: The note.",
  ],
  ['list-paging', ['name: offset', 'name: filter'], 'listNotes'],
  ['list-paging', ['name: limit', 'name: filter'], 'listNotes'],
  [
    'list-paging',
    [
      "The note.\n          content:\n            application/json: { schema: { $ref: '#/components/schemas/Note' } }",
      'The note.\n          content:\n            application/json: { schema: { oneOf: [{ type: object, properties: { data: { type: array } } }] } }',
    ],
    'getNote',
  ],
  ['list-maximum', [', maximum: 50', ''], '{ type: integer, minimum: 1 } }'],
  ['example-refused', ['example: 7', 'example: seven'], 'seven'],
  ['example-refused', ['example: 7', "examples: { some: { value: '7' } }"], "'7'"],
  ['example-refused', ['default: 0', 'default: none'], 'none }, example'],
  [
    'example-refused',
    [
      '{ type: string, maxLength: 200, description: What to',
      '{ type: string, default: ab, maxLength: 1, description: What to',
    ],
    'ab, maxLength',
  ],
  ['deprecation-complete', ['{ name: limit,', '{ deprecated: true, name: limit,'], 'deprecated: true'],
  [
    'deprecation-complete',
    [
      '{ type: string, maxLength',
      '{ deprecated: true, x-deprecation: { since: 2026-01-01, sunset: 2027-01-01 }, type: string, maxLength',
    ],
    'deprecated: true',
  ],
  [
    'deprecation-complete',
    [
      '{ type: string, maxLength',
      '{ deprecated: true, x-deprecation: { since: 2026-01-01, sunset: 2025-01-01, successor: body }, type: string, maxLength',
    ],
    'deprecated: true',
  ],
  [
    'deprecation-complete',
    [
      'operationId: getNote',
      'deprecated: true\n      x-deprecation: { since: 2026-01-01, sunset: 2027-01-01, link: /x, successor: findNote }\n      operationId: getNote',
    ],
    'deprecated: true',
  ],
  [
    'unused-component',
    [
      '  schemas:\n',
      "  schemas:\n    Left: { description: Over., type: object, properties: { more: { $ref: '#/components/schemas/More' } } }\n    More: { description: Over., type: string }\n",
    ],
    'Left: {',
  ],
  ['unused-component', ['    basic: {', '    token: { type: http, scheme: bearer }\n    basic: {'], 'token: {'],
  ['path-verb', ['/notes/{note_id}:', '/getNotes/{note_id}:'], '/getNotes'],
  ['path-verb', ['/notes/{note_id}:', '/notes/{note_id}/delete:'], '/notes/{note_id}/delete'],
  ['path-verb', ['/notes/{note_id}:', '/post-note/{note_id}:'], '/post-note'],
  [
    'request-body-meaningless',
    ['summary: Get a note', `summary: Get a note\n      ${BODY}`],
    'requestBody: { content: { text/plain',
  ],
  [
    'response-content-impossible',
    ["'200':\n          description: The", "'204':\n          description: The"],
    "'204'",
  ],
  [
    'response-content-impossible',
    ["'404': { $ref: '#/components/responses/NotFound' }", "'304': { $ref: '#/components/responses/NotFound' }"],
    "'304'",
  ],
  ['unused-tag', ['tags:\n', 'tags:\n  - { name: drafts, description: Unfinished. }\n'], 'drafts'],
  ['pattern-sound', ['maxLength: 200, description: What was', "pattern: '(', description: What was"], "'('"],
  ['pattern-sound', ['maxLength: 200, description: What was', "pattern: '\\-', description: What was"], "'\\-'"],
  [
    'pattern-sound',
    ['type: object, description: Where', "type: object, patternProperties: { '[': {} }, description: Where"],
    "'['",
  ],
  // An invalid pattern also rejects the example of the header.
  ['pattern-sound', ['{ type: integer, default: 0 }, example: 7', "{ type: string, pattern: '*' }, example: a"], "'*'"],
  ['pattern-sound', ['maxLength: 200, description: What was', 'pattern: ^(a+)+$, description: What was'], '^(a+)+$'],
  ['pattern-sound', ['maxLength: 200, description: What was', 'pattern: " +$", description: What was'], '" +$"'],
  ['bounds-contradict', ['maximum: 5, description', 'maximum: 5, minimum: 6, description'], 'minimum: 6'],
  ['bounds-contradict', ['maxLength: 200,', 'maxLength: 200, minLength: 201,'], 'minLength: 201'],
  ['bounds-contradict', ['items: { $ref', 'minItems: 3, maxItems: 2, items: { $ref'], 'minItems: 3'],
  [
    'bounds-contradict',
    ['maximum: 5, description', 'maximum: 5, exclusiveMinimum: 5, description'],
    'exclusiveMinimum: 5',
  ],
  [
    'bounds-contradict',
    ['maximum: 5, description', 'exclusiveMinimum: 5, exclusiveMaximum: 5, description'],
    'exclusiveMinimum: 5',
  ],
  ['member-description', [', description: How good it is.', ''], 'stars:'],
  ['member-description', ['description: How many., schema', 'schema'], '{ name: limit'],
  [
    'member-description',
    ['description: How many., schema: { type: integer, default', 'schema: { type: integer, default'],
    'X-Total-Count',
  ],
  ['member-description', ['description: The id of a note., ', ''], 'NoteId: {'],
  ['extension-shape', ['summary: List notes', "summary: List notes\n      x-rate-limit: 'off'"], 'x-rate-limit'],
  ['extension-shape', ['summary: List notes', 'summary: List notes\n      x-uncommon: true'], 'x-uncommon'],
  ['extension-shape', ['summary: List notes', 'summary: List notes\n      x-forward: { to: old }'], 'x-forward'],
  ['extension-shape', ['x-unmatched:', 'x-coverage: { excpt: {} }\nx-unmatched:'], 'x-coverage'],
  ['extension-shape', ['x-unmatched:', 'x-severity: { type-changed: harmless }\nx-unmatched:'], 'type-changed'],
  ['extension-shape', ['x-unmatched:', 'x-accepted-breaks: [{ change: one }]\nx-unmatched:'], '{ change'],
];

const sdlCases: [rule: string, edit: Edit, where: string][] = [
  ['list-paging', ['offset: Int = 0', 'filter: Int = 0'], 'notes('],
  ['list-paging', ['stars: Int\n', 'stars: [Note!]\n'], 'stars: [Note!]'],
  ['list-maximum', ['(min: 1, max: 50)', '(min: 1)'], 'limit: Int'],
  ['example-refused', ['Int = 20', 'Int = 51'], '51 @'],
  ['example-refused', ['text: String! @', 'text: String = "toolong" @constraint(maxLength: 3) #'], '"toolong"'],
  ['pattern-sound', ['(maxLength: 200)', '(maxLength: 200, pattern: "(")'], '"(")'],
  // The pattern also rejects the default.
  [
    'pattern-sound',
    ['text: String! @constraint(maxLength: 200)', 'text: String = "a" @constraint(pattern: "*")'],
    '"*")',
  ],
  ['pattern-sound', ['(maxLength: 200)', '(pattern: "^(a+)+$")'], '"^(a+)+$")'],
  ['bounds-contradict', ['(min: 1, max: 50)', '(min: 51, max: 50)'], 'min: 51'],
  ['bounds-contradict', ['(maxLength: 200)', '(minLength: 201, maxLength: 200)'], 'minLength: 201'],
  ['deprecation-complete', ['stars: Int\n', 'stars: Int @deprecated\n'], 'deprecated'],
  ['deprecation-complete', ['stars: Int\n', 'stars: Int @deprecated(reason: "Use `text`.")\n'], 'deprecated'],
  ['deprecation-complete', ['stars: Int\n', 'stars: Int @deprecated(reason: "Until 2027-01-31.")\n'], 'deprecated'],
];

const ofRest = async (text: string) => {
  const config = await createConfig({ plugins: [redoclyPlugin], extends: ['accord/recommended'] });
  const found = await lintByRedocly(openApiOf(text), config);
  return found.map((problem) => ({ ...problem, rule: problem.rule.replace('accord/', '') }));
};

const ofSdl = async (text: string) => {
  const languageOptions = { parser: graphqlEslint.parser, parserOptions: { schemaSdl: text } };
  const plugins = { accord: eslintPlugin };
  const overrideConfig = { files: ['**/*.graphql'], plugins, rules: GRAPHQL_ERRORS, languageOptions };
  const eslint = new ESLint({ overrideConfigFile: true, overrideConfig });
  const [result] = await eslint.lintText(text, { filePath: 'schema.graphql' });
  return (result?.messages ?? []).map((message) => ({
    ...message,
    rule: String(message.ruleId).replace('accord/', ''),
  }));
};

type Find = (text: string) => Promise<{ rule: string; line: number; column: number }[]>;

t.test('each rule reports its violation at the right place', async (t) => {
  t.same(await ofRest(openapi), []);
  t.same(await ofSdl(schema), []);
  const check = async (cases: typeof restCases, text: string, find: Find) => {
    for (const [rule, edit, where] of cases) {
      const broken = edited(text, edit);
      const found = named(await find(broken));
      t.ok(found.includes(`${rule} ${place(broken, where)}`), `${rule}: ${edit[1]}`, { found });
    }
  };
  await check(restCases, openapi, ofRest);
  await check(sdlCases, schema, ofSdl);
  const tried = (cases: typeof restCases) => [...new Set(cases.map(([rule]) => rule))].sort();
  t.same(tried(restCases), Object.keys(OPENAPI_RULES).sort(), 'every rule is tried');
  t.same(tried(sdlCases), Object.keys(GRAPHQL_RULES).sort());
  t.same([...new Set([...tried(restCases), ...tried(sdlCases)])].sort(), Object.keys(REASONS).sort());
});

t.test('cases that resemble violations are allowed', async (t) => {
  const allowed: [text: string, find: Find, edit: Edit][] = [
    [openapi, ofRest, ['type: array, items', 'type: array, maxItems: 9, items']],
    [
      openapi,
      ofRest,
      [
        '{ type: string, maxLength',
        '{ deprecated: true, x-deprecation: { since: 2026-01-01, sunset: 2027-01-01, successor: body }, type: string, maxLength',
      ],
    ],
    [
      openapi,
      ofRest,
      [
        'operationId: getNote',
        'deprecated: true\n      x-deprecation: { since: 2026-01-01, sunset: 2027-01-01, link: /x, successor: none }\n      operationId: getNote',
      ],
    ],
    [openapi, ofRest, ['operationId: getNote', 'operationId: login']],
    // Verbs that no method expresses, and nouns.
    ...['/notes/{note_id}/publish', '/posts/{note_id}', '/lists/{note_id}', '/updates/{note_id}'].map(
      (path): (typeof allowed)[number] => [openapi, ofRest, ['/notes/{note_id}:', `${path}:`]],
    ),
    [
      openapi,
      ofRest,
      ['maxLength: 200, description: What was', "pattern: '^[a-z]+(-[a-z]+)*$', description: What was"],
    ],
    [openapi, ofRest, ['maximum: 5, description', 'maximum: 5, minimum: 5, description']],
    [openapi, ofRest, ['maximum: 5, description', 'exclusiveMinimum: 4, exclusiveMaximum: 6, description']],
    [
      openapi,
      ofRest,
      [
        "id: { $ref: '#/components/schemas/NoteId' }",
        "id: { description: The id., allOf: [{ $ref: '#/components/schemas/NoteId' }, { type: number }] }",
      ],
    ],
    [schema, ofSdl, ['(maxLength: 200)', '(maxLength: 200, minLength: 200, pattern: "^[a-z]*$")']],
    [schema, ofSdl, ['stars: Int\n', 'stars: [Int!] @deprecated(reason: "Until 2027-01-31, use `Note.text`.")\n']],
    [schema, ofSdl, ['stars: Int\n', 'stars: Int @deprecated(reason: "Until 2027-01-31, with no successor.")\n']],
    [schema, ofSdl, ['type Note {', 'type NoteConnection {\n  "Notes."\n  edges: [Note!]!\n}\n"A note."\ntype Note {']],
  ];
  for (const [text, find, edit] of allowed) t.same(named(await find(edited(text, edit))), [], edit[1]);
});

const filesOf = (t: Test, { openapi, schema, prisma }: Texts) => ({
  'openapi.yaml': openapi,
  'schema.graphql': schema,
  'redocly.yaml': t.fixture('symlink', join(ROOT, 'redocly.yaml')),
  prisma: { 'schema.prisma': prisma },
});

/** Edits that give an extension a wrong value. */
const WRONG: Edit[] = [
  ['x-permission: { action: notes.list, viewer: any', 'x-permission: { action: notes.list, viewer: all'],
  ['x-permission: { action: notes.list', 'x-permission: { acton: notes.list'],
  ['summary: List notes', 'x-permission-also: { action: notes.list }\n      summary: List notes'],
  ['summary: List notes', 'x-rate-limit: never\n      summary: List notes'],
  ['summary: List notes', 'x-last-version: v1\n      summary: List notes'],
  ['summary: List notes', 'x-deprecation: { since: 2026-01-01 }\n      summary: List notes'],
  ['summary: List notes', 'x-credentials-in-body: 1\n      summary: List notes'],
  ['{ description: How many., schema', '{ description: How many., x-automatic: maybe, schema'],
  ['NoteId: { description', 'NoteId: { x-bridge: { graphl: ID }, description'],
  ['NoteId: { description', 'NoteId: { x-uncommon: very, description'],
  ['NoteId: { description', 'NoteId: { x-extensible-enum: calm, description'],
  ['NoteId: { description', 'NoteId: { x-codes: { TAKEN: { status: 200 } }, description'],
  ['x-unmatched:', 'x-bridge: { accept: [{ difference: one, reason: why }] }\nx-unmatched:'],
  ['x-unmatched:', 'x-coverage: { except: [] }\nx-unmatched:'],
  ['x-unmatched:', 'x-severity: { one: harmless }\nx-unmatched:'],
  ['x-unmatched:', 'x-accepted-breaks: [one]\nx-unmatched:'],
  ['x-unmatched:', 'x-parts: [jobs]\nx-unmatched:'],
  ['x-unmatched:', 'x-defaults: [{ update: {} }]\nx-unmatched:'],
  ["x-unmatched:\n  '405'", "x-unmatched:\n  '4XX'"],
];

t.test('the published JSON Schema describes the extensions for editors', async (t) => {
  const written = JSON.parse(readFileSync(join(ROOT, 'src/workbench/openapi.schema.json'), 'utf8'));
  t.strictSame(written, editorSchema(), 'src/workbench/openapi.schema.json is what editorSchema() gives');
  const require = createRequire(import.meta.url);
  const ofOpenApi = require('@seriousme/openapi-schema-validator/schemas/v3.1/schema.json');
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(ofOpenApi);
  const isKnown = ajv.compile(editorSchema());
  const faultsOf = (text: string) => {
    isKnown(parse(text));
    return (isKnown.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
  for (const path of ['openapi.yaml', 'src/workbench/new/template/openapi.yaml'])
    t.strictSame(faultsOf(readFileSync(join(ROOT, path), 'utf8')), [], path);
  t.strictSame(faultsOf(openapi), []);
  for (const edit of WRONG) t.not(faultsOf(edited(openapi, edit)).length, 0, edit[1]);
  t.strictSame(
    Object.keys(EXTENSIONS).filter((name) => !WRONG.some(([, to]) => to.includes(`${name}:`))),
    [],
    'each of them is tried',
  );
});

t.test('accord lint prints one list of all findings, errors first', async (t) => {
  const folder = t.testdir(filesOf(t, documents));
  const find = async (rest: string, sdl: string) =>
    named(await lint(folder, contractsOf({ openapi: rest, schema: sdl })));
  t.same(await find(openapi, schema), []);

  const rest = [
    [
      'operation-permission',
      ['      x-permission: { action: notes.read, viewer: any, developer: any, admin: any }\n', ''],
    ],
    [
      'no-invalid-media-type-examples',
      [
        "{ schema: { $ref: '#/components/schemas/CreateNoteRequest' } }",
        "{ schema: { $ref: '#/components/schemas/CreateNoteRequest' }, example: { text: 1, mood: calm } }",
      ],
    ],
    ['no-invalid-parameter-examples', ['description: The id., ', 'description: The id., example: x, ']],
    ['no-invalid-schema-examples', ['maximum: 5, description', 'maximum: 5, example: 6, description']],
    ['error-body', ["'404': { $ref: '#/components/responses/NotFound' }", "'404': { description: None. }"]],
    ['no-required-schema-properties-undefined', ['required: [text, mood]', 'required: [text, mood, colour]']],
    ['path-verb', ['/notes/{note_id}:', '/notes/{note_id}/delete:']],
  ] as const;
  const broken = rest.reduce((text, [, edit]) => edited(text, edit), openapi).replace(/, license:.*?\} /, ' ');
  const sdl = edited(
    edited(schema, [' @permission(action: "notes.read", viewer: ANY, developer: ANY, admin: ANY)', '']),
    ['  CALM\n', '  Calm\n'],
  );
  const found = await find(broken, sdl);
  const rules = found.map((problem) => problem.split(' ')[0]);
  for (const [rule] of rest) t.ok(rules.includes(rule), rule, { found });
  t.ok(found.includes(`permission ${place(sdl, 'note(')}`));
  t.ok(found.includes(`naming-convention ${place(sdl, 'Calm')}`));
  const levels = found.map((problem) => /^(info-license|path-verb) /.test(problem));
  t.same(levels, [...levels].sort(), 'warnings come last');
  const unlicensed = edited(openapi, [', license: { name: MIT, identifier: MIT }', '']);
  t.match(
    named(await lint(join(folder, 'prisma'), contractsOf({ openapi: unlicensed, schema }))),
    [/^info-license /],
    'by default what is recommended',
  );
  t.equal(found.length, new Set(found).size, 'each once');

  t.same(await find(edited(openapi, ['3.1.0', '3.0.0']), edited(schema, ['stars: Int\n', 'stars: Integer\n'])), [
    `version ${place(edited(openapi, ['3.1.0', '3.0.0']), '3.0.0')}`,
    `schema ${place(edited(schema, ['stars: Int\n', 'stars: Integer\n']), 'Integer')}`,
  ]);
});

t.test('the configuration of a project applies to the rules', async (t) => {
  const rules = 'rules: { accord/operation-id-verb: warn }';
  const flawed = {
    openapi: edited(openapi, ['operationId: getNote', 'operationId: aNote']),
    schema: edited(schema, ['(min: 1, max: 50)', '(min: 1)']),
  };
  const folder = t.testdir({
    'redocly.yaml': `extends: [recommended]\n${rules}\n`,
    'eslint.config.js': `import graphql from '@graphql-eslint/eslint-plugin';
export default [{
  files: ['schema.graphql'],
  languageOptions: { parser: graphql.parser },
  rules: { 'accord/list-maximum': 'warn' },
}];`,
  });
  const found = await lint(folder, contractsOf(flawed));
  t.match(found, [
    { rule: 'operation-id-verb', severity: 'warning' },
    { rule: 'list-maximum', severity: 'warning' },
  ]);
  t.equal(found.length, 2);

  const ignored = "openapi.yaml: { accord/operation-id-verb: ['#/paths/~1notes~1{note_id}/get/operationId'] }\n";
  writeFileSync(join(folder, '.redocly.lint-ignore.yaml'), ignored);
  const disabled = edited(flawed.schema, [
    '    limit: Int',
    '    # eslint-disable-next-line accord/list-maximum\n    limit: Int',
  ]);
  t.same(await lint(folder, contractsOf({ ...flawed, schema: disabled })), [], 'and ignores what they ignore');
});

t.test('a configuration with a plugin that does not exist is told in one sentence', async (t) => {
  for (const [file, text] of [
    ['redocly.yaml', "plugins: ['@accord-api/workbench/redocly']\n"],
    ['eslint.config.js', "export { default } from '@accord-api/workbench/eslint';\n"],
  ] as const) {
    const message = new RegExp(`^${file}: .*@accord-api/workbench.*$`);
    await t.rejects(lint(t.testdir({ [file]: text }), contractsOf(documents)), { name: 'Unable', message });
  }
});

const deep = (levels: number) => `${'{ type: array, items: '.repeat(levels)}{ type: string }${' }'.repeat(levels)}`;
const TEN = (name: string) => `[${Array(10).fill(name).join(', ')}]`;
/** Aliases that expand to 10^10 words. */
const BOMB = `x-0: &a0 ${TEN('x')}\n${[...Array(9).keys()].map((at) => `x-${at + 1}: &a${at + 1} ${TEN(`*a${at}`)}\n`).join('')}`;

t.test('recursive and very deep documents are reported at their place, and end no process', async (t) => {
  const folder = t.testdir(filesOf(t, documents));
  const foreign = openapi.replace(/ +x-permission:.*\n/g, '');
  const find = async (rest: string) =>
    (await lint(folder, contractsOf({ openapi: rest }))).map(({ rule, line }) => `${rule} ${line}`);
  const inserted = (what: string): Edit => ['    Mood: {', `    ${what}\n    Mood: {`];
  const used: Edit = ["mood: { $ref: '#/components/schemas/Mood' }", "mood: { $ref: '#/components/schemas/Odd' }"];
  for (const odd of [
    "Odd: { $ref: '#/components/schemas/Odd' }",
    "Odd: { description: Odd., default: 1, anyOf: [{ $ref: '#/components/schemas/Odd' }, { type: 'null' }] }",
    "Odd: { description: Odd., not: { allOf: [{ $ref: '#/components/schemas/Odd' }] } }",
  ])
    for (const text of [openapi, foreign]) {
      const broken = edited(edited(text, used), inserted(odd));
      const line = place(broken, 'Odd: {').split(':')[0];
      const found = await find(broken);
      t.ok(found.includes(`local-references ${line}`), odd, { found });
      t.same(
        found.filter((problem) => !problem.startsWith('local-references')),
        [],
      );
    }
  const tree =
    "Odd: { description: Odd., default: {}, type: object, properties: { more: { description: More., type: array, maxItems: 9, items: { $ref: '#/components/schemas/Odd' } } } }";
  t.same(await find(edited(edited(foreign, used), inserted(tree))), [], 'a tree has an end');

  for (const levels of [100, 500])
    t.same(
      await find(
        edited(openapi, ['type: object, description: Where', `${deep(levels).slice(2, -2)}, description: Where`]),
      ),
      [],
    );
  for (const [text, why] of [
    [BOMB, 'Its aliases expand to too many values'],
    ['x-a: &a [*a]\n', 'The alias *a is inside its own anchor'],
    ['x-a: *a\n', 'There is no anchor &a before this alias'],
    [`x-a: ${deep(20_000)}\n`, 'It is nested too deep to be read'],
  ] as const) {
    const problems = await lint(folder, contractsOf({ openapi: openapi + text }));
    t.match(problems, [{ rule: 'syntax' }], why);
    t.match(problems[0]?.message, why);
    t.ok((problems[0]?.line ?? 0) >= openapi.split('\n').length, why);
  }
});

t.test('a line that is not in UTF-8 is reported', async (t) => {
  const latin = Buffer.from(edited(openapi, ['What people wrote down.', 'Was man s\u00e4te.']), 'latin1');
  const utf8 = Buffer.from(edited(openapi, ['What people wrote down.', 'Was man s\u00e4te \ufffd.']));
  const folder = t.testdir({ ...filesOf(t, documents), 'openapi.yaml': '', own: filesOf(t, documents) });
  writeFileSync(join(folder, 'openapi.yaml'), latin);
  writeFileSync(join(folder, 'own', 'openapi.yaml'), utf8);
  await t.rejects(readContracts(folder), {
    message: 'The contracts cannot be read: openapi.yaml: line 5 is not in UTF-8',
  });
  t.same(await lint(folder, await readContracts(join(folder, 'own'))), []);
  const { code, stderr } = await accord(t, ['--root', folder, 'lint']);
  t.equal(code, 2);
  t.match(stderr, 'The contracts cannot be read: openapi.yaml: line 5 is not in UTF-8');
});

/** Returns the ids of the differences after edits of the three documents. */
function differences(edits: Partial<Record<keyof Texts, Edit[]>>) {
  const after = Object.fromEntries(
    Object.entries(documents).map(([name, text]) => [name, (edits[name as keyof Texts] ?? []).reduce(edited, text)]),
  ) as unknown as Texts;
  return { after, ...bridge(contractsOf(after)) };
}

const NOTE = '    Note:\n      description: A note.\n';
const withBridge = (text: string): Edit => [NOTE, `${NOTE}      x-bridge: ${text}\n`];

/** An edit of one document, the resulting difference, and the text at each of its places. */
const bridgeCases: [
  document: keyof Texts,
  edit: Edit,
  id: string,
  places: Partial<Record<keyof Texts, string | string[]>>,
][] = [
  [
    'schema',
    [`${described('How good it is.')}  stars: Int\n`, ''],
    'missing:Note.stars:graphql',
    { openapi: 'stars: { type: [', schema: 'Note {', prisma: 'stars' },
  ],
  [
    'prisma',
    ['  stars     Int?\n', ''],
    'missing:Note.stars:prisma',
    { openapi: 'stars: { type: [', schema: 'stars: Int\n', prisma: 'Note {' },
  ],
  [
    'openapi',
    ["        stars: { type: [integer, 'null'], maximum: 5, description: How good it is. }\n", ''],
    'missing:Note.stars:openapi',
    { openapi: 'Note:\n', schema: 'stars: Int\n', prisma: 'stars' },
  ],
  [
    'schema',
    ['createdAt: String!', 'createdAt: Int!'],
    'type:Note.createdAt:openapi-graphql',
    { openapi: 'created_at: {', schema: 'createdAt' },
  ],
  [
    'openapi',
    ['format: date-time, ', ''],
    'type:Note.createdAt:openapi-prisma',
    { openapi: 'created_at: {', prisma: 'createdAt' },
  ],
  [
    'prisma',
    ['text      String ', 'text      Int '],
    'type:Note.text:graphql-prisma',
    { schema: ['text: String!\n', 'text: String! @'], prisma: 'text' },
  ],
  [
    'schema',
    ['text: String!', 'text: [String!]!'],
    'type:Note.text:openapi-graphql',
    { openapi: 'text: {', schema: 'text: [' },
  ],
  [
    'schema',
    ['mood: Mood!', 'mood: Access!'],
    'type:Note.mood:openapi-graphql',
    { openapi: 'mood: {', schema: 'mood: Access' },
  ],
  ['schema', ['id: ID!', 'id: Int!'], 'type:Note.id:openapi-graphql', { openapi: 'id: {', schema: 'id: Int' }],
  [
    'schema',
    ['text: String!', 'text: String'],
    'nullability:Note.text:graphql',
    { openapi: 'text: {', schema: 'text: String\n', prisma: 'text' },
  ],
  [
    'prisma',
    ['stars     Int?', 'stars     Int'],
    'nullability:Note.stars:prisma',
    { openapi: 'stars: { type: [', schema: 'stars: Int\n', prisma: 'stars' },
  ],
  [
    'openapi',
    ['mood, created_at,', 'mood,'],
    'nullability:Note.createdAt:openapi',
    { openapi: 'created_at: {', schema: 'createdAt', prisma: 'createdAt' },
  ],
  ['prisma', [' @id ', ' '], 'id:Note.id:prisma', { openapi: 'id: {', schema: 'id: ID', prisma: 'id  ' }],
  [
    'schema',
    [`${described('Quickly.')}  IN_HASTE\n`, ''],
    'enum-value:Mood.IN_HASTE:graphql',
    { openapi: 'in_haste', schema: 'Mood {', prisma: 'IN_HASTE' },
  ],
  [
    'prisma',
    ['  IN_HASTE\n', '  IN_HASTE\n  ANGRY\n'],
    'enum-value:Mood.ANGRY:openapi',
    { openapi: 'Mood: {', prisma: 'ANGRY' },
  ],
  [
    'openapi',
    ['[calm, in_haste]', '[calm, IN_HASTE]'],
    'enum-case:Mood.IN_HASTE:openapi',
    { openapi: 'IN_HASTE', schema: 'Mood {', prisma: 'Mood {' },
  ],
  [
    'openapi',
    ["mood: { $ref: '#/components/schemas/Mood' }", 'mood: { type: string, enum: [calm], description: How. }'],
    'enum-value:Note.mood.IN_HASTE:openapi',
    { openapi: 'mood: { type', schema: 'IN_HASTE', prisma: 'IN_HASTE' },
  ],
  [
    'schema',
    ['text: String! @constraint(maxLength: 200)', 'text: String! @constraint(maxLength: 100)'],
    'limit:createNote~Mutation.createNote.text:maxLength',
    { openapi: 'text: { type: string, maxLength: 200, description: What to', schema: 'text: String! @' },
  ],
  [
    'schema',
    ['max: 5)', 'max: 4)'],
    'limit:createNote~Mutation.createNote.stars:max',
    { openapi: 'stars: { type: integer', schema: 'stars: Int @' },
  ],
  [
    'schema',
    ['min: 1, max: 50', 'min: 1, max: 60'],
    'limit:listNotes~Query.notes.limit:max',
    { openapi: '{ name: limit', schema: 'limit: Int' },
  ],
  [
    'openapi',
    ['maximum: 50 }', 'maximum: 50, default: 50 }'],
    'limit:listNotes~Query.notes.limit:default',
    { openapi: '{ name: limit', schema: 'limit: Int' },
  ],
  [
    // A default and a bound next to a reference apply too.
    'openapi',
    [
      'schema: { type: integer, minimum: 1, maximum: 50 } }',
      "schema: { $ref: '#/components/schemas/NoteId', maximum: 50, default: 50 } }",
    ],
    'limit:listNotes~Query.notes.limit:default',
    { openapi: '{ name: limit', schema: 'limit: Int' },
  ],
  [
    'openapi',
    ['operationId: createNote', 'operationId: addNote'],
    'unpaired:Mutation.createNote',
    { openapi: 'addNote', schema: 'createNote(' },
  ],
  ['schema', ['  notes(\n', '  allNotes(\n'], 'unpaired:Query.allNotes', { openapi: 'listNotes', schema: 'allNotes(' }],
  [
    'schema',
    ['text: String! @', 'text: String @'],
    'required:createNote~Mutation.createNote.text',
    { openapi: 'text: { type: string, maxLength: 200, description: What to', schema: 'text: String @' },
  ],
  [
    'schema',
    ['stars: Int @constraint(max: 5)', 'stars: Float @constraint(max: 5)'],
    'type:createNote~Mutation.createNote.stars:openapi-graphql',
    { openapi: 'stars: { type: integer', schema: 'stars: Float' },
  ],
  [
    'schema',
    [`${described('How good it is.')}  stars: Int @constraint(max: 5)\n`, ''],
    'missing:createNote~Mutation.createNote.stars:graphql',
    { openapi: 'stars: { type: integer', schema: 'createNote(' },
  ],
  [
    'schema',
    ['stars: Int @constraint(max: 5)', 'stars: Int @constraint(max: 5)\n  "Of what."\n  subject: String'],
    'missing:createNote~Mutation.createNote.subject:openapi',
    { openapi: 'createNote', schema: 'subject' },
  ],
  [
    'prisma',
    ['VarChar(200)', 'VarChar(100)'],
    'length:Note.text:openapi-prisma',
    { openapi: 'text: { type: string, maxLength: 200, description: What to', prisma: 'text' },
  ],
  [
    // `//` within a string begins no comment.
    'prisma',
    ['@db.VarChar(200)', '@default("see http://a.example") @db.VarChar(100)'],
    'length:Note.text:openapi-prisma',
    { openapi: 'text: { type: string, maxLength: 200, description: What to', prisma: 'text' },
  ],
  [
    'prisma',
    ['VarChar(200)', 'Char(100)'],
    'length:Note.text:graphql-prisma',
    { schema: 'text: String! @', prisma: 'text' },
  ],
  [
    'openapi',
    ['stars: { type: integer, maximum: 5,', 'stars: { type: integer, maximum: 3000000000,'],
    'range:Note.stars:openapi-prisma',
    { openapi: 'stars: { type: integer', prisma: 'stars' },
  ],
  [
    'openapi',
    ['required: [text, mood]', 'required: [text]'],
    'required:Note.mood:openapi-prisma',
    { openapi: "mood: { $ref: '#/components/schemas/Mood' }\n        stars: { type: integer", prisma: 'mood' },
  ],
  [
    'schema',
    ['action: "notes.read"', 'action: "notes.list"'],
    'permission:getNote~Query.note:notes.read',
    { openapi: 'x-permission: { action: notes.read', schema: 'permission(action: "notes.list"' },
  ],
  [
    'openapi',
    [
      '      x-permission: { action: notes.create',
      '      x-permission-also: [{ action: notes.star, viewer: none, developer: own, admin: any }]\n      x-permission: { action: notes.create',
    ],
    'permission:createNote~Mutation.createNote:notes.star',
    { openapi: '{ action: notes.star', schema: 'permission(action: "notes.create"' },
  ],
  [
    'schema',
    ['| `NOT_FOUND` | 404 | there is none |\n', ''],
    'code:NOT_FOUND:graphql',
    { openapi: 'NOT_FOUND, METHOD', schema: 'BAD_REQUEST` | 400' },
  ],
  [
    'openapi',
    ['title: Notes,', 'title: Notes, description: "\n    | `NOT_FOUND` | 410 | gone |\n    ",'],
    'code-status:NOT_FOUND',
    { openapi: ['NOT_FOUND` | 410', 'NOT_FOUND, METHOD'], schema: 'NOT_FOUND` | 404' },
  ],
  [
    'schema',
    ['Errors: `NOT_FOUND`, and', 'Errors:'],
    'error:getNote~Query.note:NOT_FOUND:graphql',
    { openapi: "'404': {", schema: 'note(' },
  ],
  [
    'schema',
    ['Creates a note.\n\n  Errors: the', 'Creates a note.\n\n  Errors: `NOT_FOUND`, the'],
    'error:createNote~Mutation.createNote:NOT_FOUND:openapi',
    { openapi: 'createNote', schema: 'createNote(' },
  ],
  [
    'schema',
    ['Errors: `NOT_FOUND`, and', 'Errors: `NOT_FOUND`, `NOT_HERE`, and'],
    'code:NOT_HERE@Query.note',
    { openapi: 'ErrorCode: {', schema: 'note(' },
  ],
  [
    'openapi',
    withBridge('{ accept: [{ difference: "missing:Note.colour:prisma", reason: It is not kept. }] }'),
    'stale:missing:Note.colour:prisma',
    { openapi: '"missing:Note.colour' },
  ],
  [
    'schema',
    ['"""\nHow far.', 'extend type Note {\n  weight: Int\n}\n\n"""\nHow far.'],
    'missing:Note.weight:openapi',
    { openapi: 'Note:\n', schema: 'weight' },
  ],
  ['openapi', withBridge('{ prisma: Memo }'), 'x-bridge:1', { openapi: 'x-bridge' }],
  ['openapi', withBridge('{ flatten: [money] }'), 'x-bridge:1', { openapi: 'x-bridge' }],
  [
    'openapi',
    withBridge('{ accept: [{ difference: "missing:Note.stars:prisma" }] }'),
    'x-bridge:1',
    { openapi: '{ difference' },
  ],
  [
    'openapi',
    ['operationId: getNote', 'x-bridge: { graphql: Query.memo }\n      operationId: getNote'],
    'x-bridge:1',
    { openapi: 'x-bridge' },
  ],
];

t.test('each kind of difference is found, with its place in each document', async (t) => {
  t.same(bridge(contractsOf(documents)).differences, []);
  const fileOf = { openapi: SIDE_FILES.openapi, schema: SIDE_FILES.graphql, prisma: SIDE_FILES.prisma };
  for (const [document, edit, id, places] of bridgeCases) {
    const { after, differences: found } = differences({ [document]: [edit] });
    const difference = found.find((difference) => difference.id === id);
    t.ok(difference, id, { found: found.map((difference) => difference.id) });
    const printed = difference?.places.map(({ side, line, column }) => `${SIDE_FILES[side]}:${line}:${column}`);
    const expected = Object.entries(places).flatMap(([name, words]) => {
      const key = name as keyof Texts;
      return [words].flat().map((word) => `${fileOf[key]}:${place(after[key], word)}`);
    });
    t.same([...(printed ?? [])].sort(), expected.sort(), `the places of ${id}`);
  }
});

t.test('an override pairs members of different names, and an acceptance accepts one difference', async (t) => {
  const idsAfter = (edits: Parameters<typeof differences>[0]) => differences(edits).differences.map(({ id }) => id);
  const model: Edit = ['model Note ', 'model Memo '];
  const column: Edit = ['text      String ', 'body      String '];
  t.same(idsAfter({ prisma: [model], openapi: [withBridge('{ prisma: Memo }')] }), []);
  t.same(idsAfter({ prisma: [column] }), ['missing:Note.text:prisma']);
  t.same(idsAfter({ prisma: [column], openapi: [withBridge('{ fields: { text: { prisma: body } } }')] }), []);
  const accept = '{ accept: [{ difference: "missing:Note.text:prisma", reason: It is kept as body. }] }';
  const accepted = differences({ prisma: [column], openapi: [withBridge(accept)] });
  t.same(accepted.differences, []);
  t.match(accepted.accepted, [{ difference: 'missing:Note.text:prisma', reason: 'It is kept as body.' }]);
  t.same(idsAfter({ prisma: [['VarChar(200)', 'VarChar(9)']], openapi: [withBridge('{ prisma: none }')] }), []);
  t.same(
    idsAfter({
      schema: [['  note(\n', '  memo(\n']],
      openapi: [['operationId: getNote', 'x-bridge: { graphql: Query.memo }\n      operationId: getNote']],
    }),
    [],
  );
  const flat: Edit = [
    'text: { type: string, maxLength: 200, description: What was written. }',
    "content: { $ref: '#/components/schemas/Content' }",
  ];
  const content: Edit = [
    '    Problem:\n',
    '    Content: { description: Of it., type: object, required: [text], properties: { text: { type: string } } }\n    Problem:\n',
  ];
  const required: Edit = ['[id, text,', '[id, content,'];
  t.same(idsAfter({ openapi: [flat, content, required, withBridge('{ flatten: [content] }')] }), []);
  const root: Edit = ['tags:\n', 'x-bridge: { pairs: [{ graphql: Memo, prisma: Paper }] }\ntags:\n'];
  const memo: Edit = ['type Note {', 'type Memo {\n  id: ID\n}\n\ntype Note {'];
  const paper: Edit = ['enum Mood', 'model Paper {\n  id Int @id\n}\n\nenum Mood'];
  t.same(idsAfter({ openapi: [root], schema: [memo], prisma: [paper] }), ['nullability:Memo.id:graphql-prisma']);
});

t.test('a renamed member is reported until an override pairs it', (t) => {
  const idsAfter = (edits: Parameters<typeof differences>[0]) => differences(edits).differences.map(({ id }) => id);
  const renamed: Edit[] = [
    ['type Note {', 'type Memo {'],
    ['): Note @', '): Memo @'],
    ['[Note!]', '[Memo!]'],
    ['): Note @', '): Memo @'],
  ];
  t.same(idsAfter({ schema: renamed }), ['unpaired:Note~Memo']);
  t.same(idsAfter({ schema: renamed, openapi: [withBridge('{ graphql: Memo }')] }), []);
  t.ok(idsAfter({ schema: renamed, openapi: [withBridge('{ graphql: none }')] }).every((id) => !id.startsWith('unp')));

  const operation: Edit = ['operationId: createNote', 'operationId: addNote'];
  const stated = (partner: string): Edit => [
    'operationId: addNote',
    `x-bridge: { graphql: ${partner} }\n      operationId: addNote`,
  ];
  t.same(idsAfter({ openapi: [operation] }), ['unpaired:Mutation.createNote']);
  t.same(idsAfter({ openapi: [operation, stated('Mutation.createNote')] }), []);
  t.same(idsAfter({ openapi: [operation, stated('none')] }), []);
  t.end();
});

t.test('the contracts of this project have no finding and no unexplained difference', async (t) => {
  const contracts = await readContracts(ROOT, ['openapi', 'schema', 'prisma']);
  t.same(await lint(ROOT, contracts), [], 'are without a finding');
  const report = bridge(contracts);
  t.same(
    report.differences.map(({ id }) => id),
    [],
    'differ in nothing unexplained, and explain nothing in vain',
  );
  const pairs = report.pairs.operations.map(({ rest, field }) => `${rest.name} ${field.name}`);
  for (const pair of ['createUser Mutation.createUser', 'listUsers Query.users', 'getCurrentUser Query.me']) {
    t.ok(pairs.includes(pair), pair);
  }
  t.same(
    report.pairs.types.map(({ name }) => name),
    ['User', 'Order', 'Session', 'Post', 'Comment', 'Message'],
  );
});

t.test('--only-changed reports the problems that came with the changes', async (t) => {
  const before = edited(openapi, ['operationId: getNote', 'operationId: aNote']);
  const folder = t.testdir(filesOf(t, { ...documents, openapi: before }));
  const write = (text: string) => writeFileSync(join(folder, 'openapi.yaml'), text);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: folder });
  const find = async (...ref: string[]) => {
    const { code, stdout } = await accord(t, ['--root', folder, 'lint', '--json', '--only-changed', ...ref]);
    return [code, ...named(JSON.parse(stdout))];
  };
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '--message', 'first');
  t.same(await find(), [0], 'what was there before is left out');

  const lower = `# A line more.\n${before}`;
  write(lower);
  t.same(await find(), [0], 'wherever it stands now');
  const added = edited(lower, ['operationId: createNote', 'operationId: newNote']);
  write(added);
  t.same(await find(), [1, `operation-id-verb ${place(added, 'newNote')}`]);
  git('commit', '--quiet', '--all', '--message', 'second');
  t.same(await find(), [0]);
  t.same(await find('HEAD~1'), [1, `operation-id-verb ${place(added, 'newNote')}`], 'since a ref');

  const touched = edited(added, ['operationId: aNote', 'operationId: aNote # Still.']);
  write(touched);
  t.same(await find(), [1, `operation-id-verb ${place(touched, 'aNote')}`], 'a line that is edited is to be in order');
  const orphaned = edited(added, [
    "mood: { $ref: '#/components/schemas/Mood' }\n        stars: { type: [",
    'mood: { type: string, description: How. }\n        stars: { type: [',
  ]);
  const both = edited(orphaned, [
    "        mood: { $ref: '#/components/schemas/Mood' }\n",
    '        mood: { type: string, description: How. }\n',
  ]);
  write(both);
  t.same(
    await find(),
    [1, `unused-component ${place(both, 'Mood: {')}`],
    'what is edited in one place breaks a rule in another',
  );
  const unknown = await accord(t, ['--root', folder, 'lint', '--only-changed', 'v9']);
  t.same([unknown.code, unknown.stderr], [2, 'git knows no commit "v9" here.\n']);
});

t.test('`accord lint` and `accord bridge` print findings with places', async (t) => {
  const broken = {
    openapi: edited(openapi, ['operationId: getNote', 'operationId: aNote']),
    schema: edited(schema, ['createdAt: String!', 'createdAt: String']),
    prisma,
  };
  const warned = { ...documents, openapi: edited(openapi, [', license: { name: MIT, identifier: MIT }', '']) };
  const projects = t.testdir({
    broken: filesOf(t, broken),
    warned: filesOf(t, warned),
    unsound: filesOf(t, { ...documents, schema: 'type Query {' }),
  });
  const folder = join(projects, 'broken');
  const linted = await accord(t, ['--root', folder, 'lint']);
  const json = await accord(t, ['--root', join(projects, 'warned'), 'lint', '--json']);
  const rules = await accord(t, ['lint', '--rules']);
  const bridged = await accord(t, ['--root', folder, 'bridge', '--list']);
  const nothing = await accord(t, ['--root', join(folder, 'prisma'), 'lint']);
  const unsound = await accord(t, ['--root', join(projects, 'unsound'), 'bridge']);
  await t.test('`accord lint` reports errors and warnings, and lists its rules', async (t) => {
    t.equal(linted.code, 1);
    const at = place(broken.openapi, 'aNote');
    t.match(linted.stdout, `openapi.yaml:${at}  error  operationId "aNote" does not begin with a verb`);
    t.match(linted.stdout, /\n {2}\d+ \| {7}operationId: aNote\n {5}\| {20}\^{5}\n/);
    t.match(linted.stdout, '1 error in openapi.yaml\n');
    t.equal(json.code, 0, 'a warning is no failure');
    t.match(JSON.parse(json.stdout), [{ severity: 'warning', file: 'openapi.yaml', rule: 'info-license' }]);
    t.equal(rules.code, 0);
    for (const name of Object.keys(REASONS)) t.match(rules.stdout, name);
  });

  await t.test('`accord bridge` reports differences, and lists counterparts', async (t) => {
    t.equal(bridged.code, 1);
    t.match(bridged.stdout, '(nullability:Note.createdAt:graphql)');
    t.match(bridged.stdout, `openapi.yaml:${place(broken.openapi, 'created_at: {')}  time, required\n`);
    t.match(bridged.stdout, `schema.graphql:${place(broken.schema, 'createdAt')}  String\n`);
    t.match(bridged.stdout, '2 unexplained differences\n');
    t.match(bridged.stdout, '- { difference: <id>, reason:');
    t.match(bridged.stdout, /^kind +openapi\.yaml +schema\.graphql +prisma\/schema\.prisma\ntype +Note +Note +Note\n/);
    t.match(bridged.stdout, /^operation +listNotes +Query\.notes +-$/m);
    t.match(bridged.stdout, /^stored +createNote +- +Note$/m);
    const { pairs, differences } = reportJson(bridge(contractsOf(broken)));
    t.match(pairs[0], { kind: 'type', 'openapi.yaml': 'Note', 'schema.graphql': 'Note' });
    t.match(differences[0], { id: 'unpaired:Query.note', places: [{ file: 'openapi.yaml' }] });
    t.match(differences[1], { id: 'nullability:Note.createdAt:graphql', places: [{ file: 'openapi.yaml' }] });
  });

  await t.test('missing and invalid contracts are exit code 2', async (t) => {
    t.equal(nothing.code, 2);
    t.match(nothing.stderr, /^There is no openapi\.yaml and no schema\.graphql in /);
    t.equal(unsound.code, 2);
    t.match(unsound.stderr, /^schema\.graphql:1:13 {2}error {2}Syntax Error/);
  });
});
