import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { parse } from 'yaml';
import type { OpenApiDocument } from '../../src/platform/core/contract/document.js';
import { normaliseOpenApi, operations } from '../../src/platform/core/contract/openapi.js';
import { inlineSchemas } from '../../src/platform/core/contract/schemas.js';
import { clearObservations, note, type Observations } from '../../src/testing/coverage/elements.js';
import type { Exchange } from '../../src/testing/coverage/exchange.js';
import { restContract } from '../../src/testing/coverage/rest.js';
import { coverageText, missingLines, verdictText } from '../../src/workbench/cli/coverage.js';
import { type Coverage, measureCoverage, type State } from '../../src/workbench/coverage/measure.js';
import { contractsOf } from '../../src/workbench/model/contracts.js';
import { accord } from '../support/accord.js';
import { ROOT, run } from '../support/process.js';

const openapi = `openapi: 3.1.0
info: { title: Pets, version: 1.0.0 }
tags: [{ name: pets, description: Pets. }]
paths:
  /api/v1/pets/{kind}:
    parameters:
      - { name: kind, in: path, required: true, schema: { enum: [cat, dog] } }
      - $ref: '#/components/parameters/Version'
    get:
      operationId: listPets
      tags: [pets]
      x-permission: public
      security: []
      parameters:
        - { name: If-None-Match, in: header, schema: { type: string } }
        - { name: session, in: cookie, schema: { type: string } }
      responses:
        '200':
          description: Pets.
          content:
            application/json:
              schema:
                oneOf:
                  - { type: array, items: { $ref: '#/components/schemas/Pet' } }
                  - type: object
                    properties:
                      data: { type: array, items: { $ref: '#/components/schemas/Pet' } }
                      counts: { type: object, additionalProperties: { enum: [none, some] } }
        '404': { $ref: '#/components/responses/NotFound' }
        '503': { $ref: '#/components/responses/Unavailable' }
    post:
      operationId: addPet
      tags: [pets]
      x-permission: public
      security: []
      requestBody:
        content:
          application/json: { schema: { $ref: '#/components/schemas/Pet' } }
          application/merge-patch+json: { schema: { $ref: '#/components/schemas/Pet' } }
      responses:
        '204': { description: Added. }
        '404': { $ref: '#/components/responses/NotFound' }
        '503': { $ref: '#/components/responses/Unavailable' }
x-unmatched:
  '404': { $ref: '#/components/responses/NotFound' }
components:
  parameters:
    Version: { name: version, in: query, schema: { enum: ['1'] } }
  responses:
    NotFound:
      description: '\`NOT_FOUND\`.'
      content: { application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } } }
    Unavailable:
      description: '\`UNAVAILABLE\`.'
      content: { application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } } }
  schemas:
    Pet:
      type: object
      properties:
        name: { type: string }
        size: { enum: [small, large] }
        friend: { type: object, properties: { name: { type: string } } }
    Problem:
      type: object
      properties:
        code: { enum: [NOT_FOUND, UNAVAILABLE] }
`;

const sdl = `directive @permission(reach: Reach) on FIELD_DEFINITION
directive @coverage(except: String!) on FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | ENUM_VALUE
directive @constraint(max: Int) on ARGUMENT_DEFINITION

enum Reach { ALL NONE }
enum Size { SMALL LARGE }
interface Named { name: String }
type Pet implements Named { name: String size: Size friends(first: Int @constraint(max: 9), size: Size): [Pet!] }
input NewPet { name: String! size: Size = SMALL friend: NewPet }
type Query { pet(id: ID!): Pet pets(sizes: [Size!], limit: Int @constraint(max: 5)): [Pet!]! named: Named @permission(reach: ALL) }
type Mutation { addPet(input: NewPet!): Pet }
`;

const source = parse(openapi) as OpenApiDocument;
const [listPets, addPet] = operations(normaliseOpenApi(source));
const observeRest = restContract(source).observe;

/** Creates an exchange of JSON. */
function exchange(
  status: number,
  answer: unknown,
  given: Partial<Exchange> & { asked?: Exchange['request'] } = {},
): Exchange {
  const { asked = {}, ...others } = given;
  const type = status < 400 ? 'application/json' : 'application/problem+json';
  const headers = new Headers(answer === undefined ? {} : { 'content-type': `${type}; charset=utf-8` });
  const text = answer === undefined ? '' : JSON.stringify(answer);
  return { method: 'GET', path: '/api/v1/pets/cat', request: asked, status, headers, text, ...others };
}

const list = (keys: Iterable<string>) => [...keys].sort();

t.test('an exchange covers its status, if it is declared; HEAD covers none', async (t) => {
  t.same(list(observeRest(listPets, exchange(200, [{ name: 'Tom' }]))), ['listPets 200']);
  t.same(list(observeRest(addPet, exchange(404, { code: 'NOT_FOUND' }))), ['addPet 404']);
  t.same(list(observeRest(addPet, exchange(418, { code: 'NOT_FOUND' }))), []);
  t.same(list(observeRest(undefined, exchange(404, { code: 'UNAVAILABLE' }))), ['x-unmatched 404']);
  t.same(list(observeRest(listPets, exchange(503, {}, { method: 'HEAD', text: '' }))), []);
  t.same(list(observeRest(undefined, exchange(404, {}, { method: 'HEAD', text: '' }))), []);
});

const shops = `openapi: 3.1.0
info: { title: Shops, version: 1.0.0 }
tags: [{ name: shops, description: Shops. }]
paths:
  /shops/{shop_id}:
    put:
      operationId: putShop
      tags: [shops]
      x-permission: public
      parameters:
        - { name: shop_id, in: path, required: true, schema: { type: integer, minimum: 1, maximum: 9 } }
        - { name: limit, in: query, schema: { $ref: '#/components/schemas/Limit', maximum: 50 } }
        - { name: X-Tags, in: header, schema: { type: string, minLength: 2 } }
        - { name: token, in: cookie, schema: { type: string, minLength: 8 } }
      requestBody:
        content:
          application/json:
            schema:
              type: object
              minProperties: 1
              properties:
                name: { type: [string, 'null'], minLength: 0, maxLength: 3 }
                kind: { enum: [one, two], maxLength: 3 }
                prices: { type: array, maxItems: 2, items: { type: number, exclusiveMinimum: 0, multipleOf: 0.5 } }
      responses: { '204': { description: Put. } }
components: { schemas: { Limit: { type: integer, maximum: 100 } } }
`;
const selling = `directive @constraint(minLength: Int, maxLength: Int, min: Int, max: Int) on ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION
directive @coverage(except: String!) on INPUT_FIELD_DEFINITION
input NewShop { name: String @constraint(maxLength: 3) tags: [String!] @constraint(minLength: 2) }
type Shop { name: String near(limit: Int = 1 @constraint(max: 5)): [Shop!] }
type Query { shop: Shop since(id: ID @constraint(min: 0)): Int }
type Mutation { addShop(input: NewShop): Shop }
`;

t.test('both sides of each bound are elements of a contract, and of several bounds only the narrowest', (t) => {
  const { elements } = measureCoverage(contractsOf({ openapi: shops, schema: selling }), new Map());
  const bounds = elements.filter(({ kind }) => kind === 'bound').map(({ key }) => key);
  t.same(
    bounds,
    [
      ...[
        'putShop path shop_id - minimum 1',
        'putShop query limit - maximum 50',
        'putShop header X-Tags - minLength 2',
      ],
      ...['putShop body - minProperties 1', 'putShop body /name - maxLength 3', 'putShop body /prices - maxItems 2'],
      ...['putShop body /prices[] - exclusiveMinimum 0', 'NewShop.name - maxLength 3', 'NewShop.tags - minLength 2'],
      ...['Shop.near(limit) - max 5', 'Query.since(id) - min 0'],
    ].flatMap((key) => [key.replace(' - ', ' at '), key.replace(' - ', ' beyond ')]),
  );
  t.end();
});

t.test(
  'a value at a bound counts if it was accepted, a value beyond it if the failure names its place and the bound',
  (t) => {
    const document = parse(shops) as OpenApiDocument;
    const [putShop] = operations(inlineSchemas(normaliseOpenApi(document)));
    const observe = restContract(document).observe;
    const seen = (
      status: number,
      { path = '/shops/5', query = '', tags = 'ab1', body = {} as unknown },
      errors: object[] = [],
    ) => {
      const headers = new Headers({ 'content-type': 'application/json', 'x-tags': tags, cookie: 'token=a' });
      const given = { method: 'PUT', path, asked: { query, headers, body: JSON.stringify(body) } };
      return list(observe(putShop, exchange(status, status < 400 ? undefined : { errors }, given)))
        .filter((key) => / (at|beyond) /.test(key))
        .map((key) => key.replace('putShop ', ''));
    };
    t.same(seen(204, { path: '/shops/1', query: 'limit=50', tags: 'ab', body: { name: 'a😀c', prices: [7, 0.5] } }), [
      ...['body /name at maxLength 3', 'body /prices at maxItems 2', 'body /prices[] at exclusiveMinimum 0'],
      ...['header X-Tags at minLength 2', 'path shop_id at minimum 1', 'query limit at maximum 50'],
    ]);
    t.same(seen(204, { body: { name: 'ab' } }), ['body at minProperties 1'], 'within, and not next to it');
    t.same(
      seen(409, { path: '/shops/1', query: 'limit=50' }),
      ['path shop_id at minimum 1'],
      'what came before content',
    );
    t.same(seen(401, { path: '/shops/1', query: 'limit=50' }), [], 'nobody has looked at it');

    const refused = (given: Parameters<typeof seen>[1], ...errors: object[]) => seen(422, given, errors);
    const tooLong = { pointer: '/name', detail: 'must NOT have more than 3 characters' };
    t.same(refused({ body: { name: 'a😀cd' } }, tooLong), ['body /name beyond maxLength 3']);
    t.same(refused({ body: { name: 'abcde' } }, tooLong), [], 'further away');
    t.same(refused({ body: { name: 'abcd' } }, { ...tooLong, pointer: '/kind' }), [], 'another place');
    t.same(refused({ body: { name: 'abcd' } }, { ...tooLong, detail: 'has the wrong form' }), [], 'for another reason');
    t.same(refused({ body: { name: 'abcd' } }), [], 'without a stated reason');
    t.same(refused({ body: {} }, { pointer: '', detail: 'must NOT have fewer than 1 properties' }), [
      'body beyond minProperties 1',
    ]);
    t.same(refused({ body: { prices: [1, 0] } }, { pointer: '/prices/1', detail: 'must be > 0' }), [
      'body /prices[] beyond exclusiveMinimum 0',
    ]);
    t.same(refused({ query: 'limit=51' }, { parameter: 'limit', detail: 'must be <= 50' }), [
      'query limit beyond maximum 50',
    ]);
    t.same(refused({ tags: 'a' }, { parameter: 'x-tags', detail: 'must NOT have fewer than 2 characters' }), [
      'header X-Tags beyond minLength 2',
    ]);
    const noId = [{ parameter: 'shop_id', detail: 'must be an integer' }];
    t.same(seen(400, { path: '/shops/0' }, noId), ['path shop_id beyond minimum 1']);
    t.same(seen(400, { path: '/shops/%zz' }, noId), []);
    t.end();
  },
);

t.test('an exception of a value covers its bounds, and is valid until all of them are covered', (t) => {
  const text = `${shops}x-coverage: { except: { putShop body /name: Nobody looks at it. } }\n`;
  const schema = selling.replace('(maxLength: 3)', '(maxLength: 3) @coverage(except: "Nobody looks.")');
  const measured = (...keys: string[]) =>
    measureCoverage(
      contractsOf({ openapi: text, schema }),
      observations('putShop body /name', 'NewShop.name', ...keys),
    );
  const some = measured('putShop body /name at maxLength 3', 'NewShop.name beyond maxLength 3');
  const ofNames = Object.entries(states(some, 'bound')).filter(([key]) => /name /.test(key));
  t.same(Object.fromEntries(ofNames), {
    'putShop body /name at maxLength 3': 'seen',
    'putShop body /name beyond maxLength 3': 'excepted',
    'NewShop.name at maxLength 3': 'excepted',
    'NewShop.name beyond maxLength 3': 'seen',
  });
  t.same(some.problems, []);
  const line = missingLines(some).find((line) => line.includes('limit beyond'));
  t.match(line, /^openapi\.yaml:12:\d+ {2}the bound putShop query limit beyond maximum 50 was never seen$/);
  const sides = ['at', 'beyond'].flatMap((side) => [
    ...[`putShop body /name ${side} maxLength 3`, `NewShop.name ${side} maxLength 3`],
  ]);
  t.equal(measured(...sides).problems.length, 2);
  t.end();
});

const observations = (...keys: string[]): Observations => {
  const seen: Observations = new Map();
  note(seen, keys);
  return seen;
};

const states = ({ elements }: Coverage, kind: string) =>
  Object.fromEntries(
    elements.filter((element) => element.kind === kind).map(({ key, state }): [string, State] => [key, state]),
  );
const figure = ({ figures }: Coverage, kind: string) => figures.find((figure) => figure.kind === kind);

/** Returns the first place of a word in a text. */
function place(text: string, word: string, from = ''): string {
  const lines = text.slice(0, text.indexOf(word, text.indexOf(from))).split('\n');
  return `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
}

const STATED = `x-coverage:
  once: { Unavailable: One hook sheds load. }
  except:
    addPet 404: A kind that is none is never stored.
`;
const stated = openapi.replace('x-unmatched:', `${STATED}x-unmatched:`);
const excepting = sdl.replace('first: Int', 'first: Int @coverage(except: "Nobody has so many.")');

t.test('the coverage compares the recordings with both contracts, element by element', async (t) => {
  const seen = observations('listPets 200', 'listPets 503', 'Query.pets(limit) beyond max 5', 'listPets 599');
  const coverage = measureCoverage(contractsOf({ openapi: stated, schema: excepting }), seen);
  t.same(states(coverage, 'status'), {
    'listPets 200': 'seen',
    'listPets 404': 'missing',
    'listPets 503': 'seen',
    'addPet 204': 'missing',
    'addPet 404': 'excepted',
    'addPet 503': 'shared',
    'x-unmatched 404': 'missing',
  });
  t.same(figure(coverage, 'status'), {
    kind: 'status',
    states: { seen: 2, shared: 1, excepted: 1, missing: 3 },
    total: 7,
    percent: 57.1,
  });
  t.same(states(coverage, 'bound'), {
    'Pet.friends(first) at max 9': 'excepted',
    'Pet.friends(first) beyond max 9': 'excepted',
    'Query.pets(limit) at max 5': 'missing',
    'Query.pets(limit) beyond max 5': 'seen',
  });
  t.same(coverage.problems, []);
  t.same(missingLines(coverage).slice(0, 4), [
    `openapi.yaml:${place(stated, "'404'", 'listPets')}  listPets was never seen to answer 404`,
    `openapi.yaml:${place(stated, "'204'", 'addPet')}  addPet was never seen to answer 204`,
    `openapi.yaml:${place(stated, "'404'", 'x-unmatched:')}  x-unmatched was never seen to answer 404`,
    `schema.graphql:${place(excepting, 'limit')}  the bound Query.pets(limit) at max 5 was never seen`,
  ]);
});

t.test('a component with `once` is missing once, and any other component once for each operation', async (t) => {
  const lines = (text: string, ...keys: string[]) =>
    missingLines(measureCoverage(contractsOf({ openapi: text, schema: sdl }), observations(...keys))).filter((line) =>
      / 503/.test(line),
    );
  const at = (owner: string) => `openapi.yaml:${place(stated, "'503'", owner)}`;
  t.same(lines(stated), [`${at('listPets')}  none of the 2 operations with Unavailable was ever seen to answer 503`]);
  t.same(lines(stated, 'addPet 503'), []);
  t.same(lines(openapi, 'addPet 503'), [`${at('listPets')}  listPets was never seen to answer 503`]);
});

t.test('an excepted component is excepted for every operation, unless all of them are covered', async (t) => {
  const text = stated
    .replace('  once: { Unavailable: One hook sheds load. }\n', '')
    .replace('  except:\n', '  except:\n    Unavailable: The platform sheds load.\n');
  const measured = (...keys: string[]) =>
    measureCoverage(contractsOf({ openapi: text, schema: sdl }), observations(...keys));
  const unavailable = (coverage: Coverage) =>
    Object.fromEntries(Object.entries(states(coverage, 'status')).filter(([key]) => / 503/.test(key)));
  t.same(unavailable(measured()), { 'listPets 503': 'excepted', 'addPet 503': 'excepted' });
  const one = measured('addPet 503');
  t.same([unavailable(one), one.problems], [{ 'listPets 503': 'excepted', 'addPet 503': 'seen' }, []]);
  const [stale] = measured('listPets 503', 'addPet 503').problems;
  t.match(stale, { rule: 'coverage-except', message: '"Unavailable" was seen by a test: remove the exception.' });
});

t.test('a stale, unexplained or unknown entry of x-coverage is reported', async (t) => {
  const faults = (text: string, schema: string, ...keys: string[]) =>
    measureCoverage(contractsOf({ openapi: text, schema }), observations(...keys)).problems.map(
      ({ file, line, column, rule, message }) => `${file}:${line}:${column} ${rule} ${message}`,
    );
  const rows: [what: string, problems: string[], expected: string[]][] = [
    [
      'seen after all',
      faults(stated, excepting, 'addPet 404', ...['at', 'beyond'].map((side) => `Pet.friends(first) ${side} max 9`)),
      [
        `openapi.yaml:${place(stated, 'addPet 404')} coverage-except "addPet 404" was seen by a test: remove the exception.`,
        `schema.graphql:${place(excepting, 'first')} coverage-except "Pet.friends(first)" was seen by a test: remove the exception.`,
      ],
    ],
    ['in order', faults(stated, excepting, 'listPets 200'), []],
    ...(['', ' ""', " ' '", ' 7', ' [a reason]'].map((reason) => {
      const text = stated.replace(' A kind that is none is never stored.', reason);
      return [
        `the reason${reason}`,
        faults(text, sdl),
        [`openapi.yaml:${place(text, 'addPet 404')} coverage-except "addPet 404" has no reason. Add one.`],
      ];
    }) as typeof rows),
    [
      'an empty reason in the SDL',
      faults(stated, excepting.replace('Nobody has so many.', ' ')),
      [`schema.graphql:${place(excepting, 'first')} coverage-except "Pet.friends(first)" has no reason. Add one.`],
    ],
    [
      'an exception in the SDL where no bound is',
      faults(stated, sdl.replace('pet(id: ID!): Pet', 'pet(id: ID!): Pet @coverage(except: "Nobody asks.")')),
      [
        `schema.graphql:${place(sdl, 'pet(id')} coverage-except "Query.pet" is neither an element of the contract nor a response component.`,
      ],
    ],
    [
      'unknown',
      faults(stated.replace('addPet 404:', 'addPet 405:'), sdl),
      [
        `openapi.yaml:${place(stated, 'addPet 404')} coverage-except "addPet 405" is neither an element of the contract nor a response component.`,
      ],
    ],
    [
      'once without a reason',
      faults(stated.replace('One hook sheds load.', "''"), sdl),
      [`openapi.yaml:${place(stated, 'Unavailable: One')} coverage-once "Unavailable" has no reason. Add one.`],
    ],
    [
      'once for one',
      faults(stated.replace("        '503': { $ref: '#/components/responses/Unavailable' }\n", ''), sdl),
      [
        `openapi.yaml:${place(stated.replace("        '503': { $ref: '#/components/responses/Unavailable' }\n", ''), 'Unavailable: One')} coverage-once "Unavailable" is no response component of several operations.`,
      ],
    ],
  ];
  for (const [what, problems, expected] of rows) t.same(problems, expected, what);
});

const everything = (() => {
  const { elements } = measureCoverage(contractsOf({ openapi: stated, schema: excepting }), new Map());
  return elements.map(({ key }) => key).filter((key) => key !== 'addPet 404' && !key.startsWith('Pet.friends(first)'));
})();

t.test('the text has the table, worst first, with what is missing and the totals', async (t) => {
  const seen = observations(...everything.filter((key) => !/^(addPet 204|Query.pets)/.test(key)));
  const coverage = measureCoverage(contractsOf({ openapi: stated, schema: excepting }), seen);
  const text = coverageText(coverage);
  t.match(
    text,
    `             200 204 404 503
addPet        ·   ✗   ○   ● 
listPets      ●   ·   ●   ● 
x-unmatched   ·   ·   ●   · 
`,
  );
  t.match(text, /^operation × status +5 +0 +1 +1 +7 +85\.7 %$/m);
  t.equal(
    verdictText(coverage).split('\n').at(-1),
    '3 of 11 that the contracts demand are never seen by a test (3 excepted).',
  );
  t.equal(
    verdictText(measureCoverage(contractsOf({ openapi: stated, schema: excepting }), observations(...everything))),
    'The tests see all 11 that the contracts demand (3 excepted).',
  );
});

/** A project with these recordings. */
const project = (...recordings: object[]) => ({
  'openapi.yaml': stated,
  'schema.graphql': excepting,
  coverage: {
    contract: Object.fromEntries(recordings.map((recording, index) => [`${index}.json`, JSON.stringify(recording)])),
  },
});

t.test('the command', async (t) => {
  const seen = Object.fromEntries(everything.map((key) => [key, 1]));
  const { 'addPet 204': _, ...most } = seen;
  const folder = t.testdir({
    whole: project(most, { 'addPet 204': 1, 'listPets 200': 2 }),
    lacking: project(most, { 'listPets 200': 2 }),
    unrecorded: { ...project(), coverage: {} },
    torn: { ...project(most), coverage: { contract: { '1.json': '{"listPets 200":' } } },
    broken: { ...project(most), 'schema.graphql': 'type Query {' },
    cleared: project(most),
  });
  const coverage = (name: string, ...args: string[]) => accord(t, ['--root', join(folder, name), 'coverage', ...args]);
  const whole = await coverage('whole', '--check');
  const lacking = await coverage('lacking', '--check', '--json');
  const unrecorded = await coverage('unrecorded');
  const torn = await coverage('torn', '--check');
  const broken = await coverage('broken', '--check');
  const cleared = await coverage('cleared', '--clear');

  t.test('merges the recordings of several processes; --check passes if nothing is missing', async (t) => {
    const expected = 'The tests see all 11 that the contracts demand (3 excepted).\n';
    t.same([whole.code, whole.stdout, whole.stderr], [0, expected, '']);
  });

  t.test('--check fails if something is missing, and still writes JSON', async (t) => {
    t.equal(lacking.code, 1);
    const { missing, figures, elements } = JSON.parse(lacking.stdout);
    const line = Number(place(stated, "'204'").split(':')[0]);
    t.match(missing, [{ key: 'addPet 204', state: 'missing', file: 'openapi.yaml', line, column: 9 }]);
    t.equal(missing.length, 1);
    t.match(figures[0], { kind: 'status', total: 7, percent: 85.7 });
    t.match(elements[0], { key: 'listPets 200', state: 'seen', count: 3 });
  });

  t.test(
    'exits 2 without recordings, with a truncated recording, or with a broken contract, whose place it prints',
    async (t) => {
      const stderr = `There is nothing in ${join('coverage', 'contract')}: run the tests first (npm test).\n`;
      t.same([unrecorded.code, unrecorded.stdout, unrecorded.stderr], [2, '', stderr]);
      t.same([torn.code, torn.stdout], [2, '']);
      t.match(torn.stderr, /^Clear coverage.contract \(--clear\): /);
      t.same([broken.code, broken.stdout], [2, '']);
      t.match(broken.stderr, /^schema\.graphql:1:13 {2}error {2}Syntax Error/);
    },
  );

  t.test('--clear deletes the recordings, if there are any', async (t) => {
    t.same([cleared.code, cleared.stdout, cleared.stderr], [0, '', '']);
    t.same(readdirSync(join(folder, 'cleared', 'coverage')), []);
    t.doesNotThrow(() => clearObservations(join(folder, 'cleared')));
  });
});

t.test('the tests record every response, in one file for each process', async (t) => {
  const folder = t.testdir({ 'openapi.yaml': openapi, 'schema.graphql': sdl });
  const url = (path: string) => JSON.stringify(pathToFileURL(join(ROOT, path)).href);
  const program = `
    import { readFileSync } from 'node:fs';
    import { parse } from 'yaml';
    import { contractOf } from ${url('src/testing/contract.ts')};
    import { note, observationsOf } from ${url('src/testing/coverage/elements.ts')};
    const text = (name) => readFileSync(name, 'utf8');
    const contract = contractOf({ openapi: parse(text('openapi.yaml')), graphql: text('schema.graphql') });
    const observations = observationsOf(process.cwd());
    const seen = (exchange) => note(observations, contract.observeRest(exchange));
    const headers = new Headers({ 'content-type': 'application/json' });
    const exchange = { method: 'GET', path: '/pets/cat', request: { query: 'version=1' }, status: 200, headers };
    for (let i = 0; i < 3; i++) seen({ ...exchange, text: '[]' });
    seen({ ...exchange, path: '/nowhere', status: 404, text: '{}' });`;
  const start = () =>
    run(
      t,
      [
        process.execPath,
        '--import',
        url('node_modules/tsx/dist/loader.mjs').slice(1, -1),
        '--input-type=module',
        '-e',
        program,
      ],
      {},
      folder,
    ).ended;
  for (const { code, stderr } of await Promise.all([start(), start()])) t.equal(code, 0, stderr);
  const files = readdirSync(join(folder, 'coverage', 'contract'));
  t.equal(files.length, 2);
  for (const name of files) {
    t.same(JSON.parse(readFileSync(join(folder, 'coverage', 'contract', name), 'utf8')), {
      'listPets 200': 3,
      'x-unmatched 404': 1,
    });
  }
});
