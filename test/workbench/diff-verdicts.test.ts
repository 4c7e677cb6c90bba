import t from 'tap';
import { parse } from 'yaml';
import type { Change } from '../../src/workbench/diff/change.js';
import { changesBetween, problemsOf } from '../../src/workbench/diff/report.js';
import { contractsOf } from '../../src/workbench/model/contracts.js';
import type { ProjectVersion } from '../../src/workbench/model/project-version.js';
import { type DocumentCase, documentCases, SHOP } from './diff-documents.js';
import { edits, STORE, STORE_SDL, sdlEdits } from './diff-edits.js';
import { schemaCases, type Worst } from './diff-schemas.js';
import { GALLERY, sdlCases } from './diff-sdl.js';

const COMPONENTS = `components:
  schemas:
    Pair: { type: object, properties: { a: { type: string }, b: { type: integer } } }
    Single: { type: object, required: [c], properties: { c: { type: string } } }
    Text: { type: string, minLength: 1 }
    Tree: { type: object, properties: { v: { type: string }, kids: { type: array, items: { $ref: '#/components/schemas/Tree' } } } }
    Numbers: { type: object, properties: { v: { type: integer }, kids: { type: array, items: { $ref: '#/components/schemas/Numbers' } } } }
    Cat: { type: object, required: [kind], properties: { kind: { type: string }, purrs: { type: boolean } } }
    Dog: { type: object, required: [kind], properties: { kind: { type: string }, barks: { type: boolean } } }
`;

/** A contract with a schema in one request and in one response. */
const service = (schema: string) => `openapi: 3.1.0
info: { title: One, version: 1.0.0 }
paths:
  /sent:
    post:
      operationId: send
      requestBody: { required: true, content: { application/json: { schema: ${schema} } } }
      responses: { '204': { description: Done. } }
  /got:
    get:
      operationId: get
      responses: { '200': { description: It., content: { application/json: { schema: ${schema} } } } }
${COMPONENTS}`;

const versions = new Map<string, ProjectVersion>();

/** Returns the version with a contract. Parses each contract once. */
function versionOf(openapi: string): ProjectVersion {
  const known = versions.get(openapi) ?? { label: 'it', contracts: contractsOf({ openapi }), migrations: [] };
  versions.set(openapi, known);
  return known;
}

const worst = (changes: readonly Change[]): Worst =>
  (['breaking', 'risky', 'safe'] as const).find((verdict) => changes.some((change) => change.verdict === verdict)) ??
  'nothing';

t.test('verdicts of edits of a schema and of their reversals, for requests and responses', async (t) => {
  for (const [name, before, after, forwards, backwards] of schemaCases) {
    for (const [from, to, expected, way] of [
      [before, after, forwards, ''],
      [after, before, backwards, ', taken back'],
    ] as const) {
      const changes = await changesBetween(versionOf(service(from)), versionOf(service(to)));
      const of = (element: string) => worst(changes.filter(({ elements }) => elements.includes(element)));
      t.strictSame(
        [of('send'), of('get')],
        expected,
        `${name}${way}: ${changes.map(({ verdict, message }) => `${verdict} ${message}`).join('; ')}`,
      );
    }
  }
});

t.test('a schema with many paths to it is reported once', async (t) => {
  // Each schema refers twice to the next one: 2^40 paths lead to the last.
  const chain = Array.from({ length: 40 }, (_, at) => {
    const before = `{ $ref: '#/components/schemas/S${at}' }`;
    return `    S${at + 1}: { type: object, properties: { left: ${before}, right: ${before} } }`;
  });
  const text = `${service("{ $ref: '#/components/schemas/S40' }")}    S0: { type: string, maxLength: 9 }\n${chain.join('\n')}\n`;
  const changes = await changesBetween(versionOf(text), versionOf(text.replace('maxLength: 9', 'maxLength: 8')));
  t.same(
    changes.map(({ id, verdict, elements }) => [verdict, id, elements]),
    [
      ['breaking', 'rest:S0:request:maxLength:lowered', ['send']],
      ['safe', 'rest:S0:response:maxLength:lowered', ['get']],
    ],
  );
});

t.test('a comparison of recursive schemas ends', async (t) => {
  const own = "{ $ref: '#/components/schemas/Own' }";
  for (const [before, after] of [
    [`{ oneOf: [${own}, { oneOf: [${own}, { type: string }] }] }`, `{ oneOf: [${own}, { type: integer }] }`],
    [`{ not: ${own} }`, `{ not: ${own}, type: string }`],
    [`{ not: { not: ${own} }, type: string }`, `{ not: { not: ${own} }, type: integer }`],
    [`{ type: object, propertyNames: ${own} }`, `{ type: array, propertyNames: ${own} }`],
  ] as const) {
    const [from, to] = [before, after].map((schema) => versionOf(`${service(own)}    Own: ${schema}\n`));
    const changes = await changesBetween(from as ProjectVersion, to as ProjectVersion);
    t.equal(worst(changes), 'breaking', after);
  }
});

t.test('a keyword next to a reference is reported for the referring schema', async (t) => {
  const changesOf = async (before: string, after: string) =>
    (await changesBetween(versionOf(service(before)), versionOf(service(after)))).map(({ id, place }) => [
      id,
      place.line,
    ]);
  const CAT = "$ref: '#/components/schemas/Cat'";
  const [sent, got] = [7, 12];
  t.same(
    await changesOf(
      `{ properties: { a: { ${CAT} } } }`,
      `{ properties: { a: { oneOf: [{ ${CAT} }, { type: 'null' }] } } }`,
    ),
    [
      ['rest:get:response.200.body.a:type:nullable', got],
      ['rest:send:request.body.a:type:nullable', sent],
    ],
  );
  t.same(await changesOf(`{ items: { ${CAT} } }`, `{ items: { ${CAT}, required: [purrs] } }`), [
    ['rest:send:request.body[].purrs:required:required', sent],
    ['rest:get:response.200.body[].purrs:required:required', got],
  ]);
  t.same(await changesOf(`{ allOf: [{ ${CAT} }, { required: [purrs] }] }`, `{ allOf: [{ ${CAT} }] }`), [
    ['rest:get:response.200.body.purrs:required:optional', got],
    ['rest:send:request.body.purrs:required:optional', sent],
  ]);
});

t.test('a change of additionalProperties is placed at the keyword', async (t) => {
  const placeOf = async (before: string, after: string) => {
    const text = service("{ $ref: '#/components/schemas/It' }");
    const [first] = await changesBetween(versionOf(`${text}${before}`), versionOf(`${text}${after}`));
    return (text + after).split('\n')[(first?.place.line ?? 0) - 1]?.trim();
  };
  const others =
    '    It:\n      type: object\n      properties: { a: {} }\n      unevaluatedProperties: { type: string }\n';
  t.equal(await placeOf(others, others.replace('string', 'integer')), 'unevaluatedProperties: { type: integer }');
  t.equal(
    await placeOf(others.replace('{ type: string }', 'true'), others.replace('{ type: string }', 'false')),
    'unevaluatedProperties: false',
  );
});

t.test('the name of a component is the value of its discriminator', async (t) => {
  const changesOf = async (from: string, to: string) =>
    (await changesBetween(versionOf(from), versionOf(to)))
      .filter(({ verdict }) => verdict !== 'safe')
      .map(({ id, verdict }) => `${verdict} ${id}`);
  const either = service(
    "{ oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }], discriminator: { propertyName: kind } }",
  );
  const renamed = either.replaceAll('Dog', 'Dogs');
  t.same(await changesOf(either, renamed), [
    'breaking rest:send:request.body:discriminator.Dog:changed',
    'breaking rest:get:response.200.body:discriminator.Dog:changed',
    'risky rest:Dog:schema:removed',
  ]);
  const mapped = renamed.replaceAll('propertyName: kind }', 'propertyName: kind, mapping: { Dog: Dogs } }');
  t.same(await changesOf(either, mapped), ['risky rest:Dog:schema:removed'], 'unless a mapping keeps it');
  const heirs = `${service("{ $ref: '#/components/schemas/Animal' }")}    Animal: { type: object, discriminator: { propertyName: kind }, properties: { kind: { type: string } } }
    Ape: { allOf: [{ $ref: '#/components/schemas/Animal' }] }
`;
  t.same(
    await changesOf(heirs, heirs.replace('Ape:', 'Monkey:')),
    [
      'breaking rest:Animal:request:discriminator.Ape:changed',
      'breaking rest:Animal:response:discriminator.Ape:changed',
      'risky rest:Ape:schema:removed',
    ],
    'or of who says by allOf that it is one of them',
  );
});

t.test('a change of a subtype is reported for users of its base type', async (t) => {
  const changesOf = async (from: string, to: string) =>
    (await changesBetween(versionOf(from), versionOf(to))).map(({ verdict, id, elements }) => [verdict, id, elements]);
  const base = `${service("{ type: array, items: { $ref: '#/components/schemas/Animal' } }")}
    Animal: { type: object, discriminator: { propertyName: kind }, required: [kind], properties: { kind: { type: string } } }
    Ape: { allOf: [{ $ref: '#/components/schemas/Animal' }, { properties: { friend: { $ref: '#/components/schemas/Animal' } } }] }
    Gibbon: { allOf: [{ $ref: '#/components/schemas/Ape' }, { properties: { arms: { type: integer } } }] }
`;
  const own = base
    .replace(
      '/sent:',
      "/apes: { get: { operationId: apes, responses: { '200': { description: It., content: { application/json: { schema: { $ref: '#/components/schemas/Fish' } } } } } } }\n  /sent:",
    )
    .concat(
      "    Fish: { allOf: [{ $ref: '#/components/schemas/Animal' }, { properties: { fins: { type: integer } } }] }\n",
    );
  for (const [text, also] of [
    [base, []],
    [own, ['apes']],
    [own.replace('fins: { type: integer }', "fins: { $ref: '#/components/schemas/Animal' }"), ['apes']],
  ] as const)
    t.same(await changesOf(text, text.replace('arms: { type: integer }', 'arms: { type: string }')), [
      ['breaking', 'rest:Gibbon:request.arms:type:changed', ['send']],
      ['breaking', 'rest:Gibbon:response.arms:type:changed', [...also, 'get']],
    ]);
  const arms = (text: string) => text.replace('arms: { type: integer }', 'arms: { type: string }');
  for (const wrapped of [
    "{ description: It., allOf: [{ $ref: '#/components/schemas/Animal' }] }",
    "{ anyOf: [{ $ref: '#/components/schemas/Animal' }, { type: 'null' }] }",
    "{ oneOf: [{ $ref: '#/components/schemas/Ape' }, { type: 'null' }] }",
    "{ $ref: '#/components/schemas/Ape' }",
  ]) {
    const text = base.replaceAll("{ type: array, items: { $ref: '#/components/schemas/Animal' } }", wrapped);
    t.match(await changesOf(text, arms(text)), [['breaking'], ['breaking']], wrapped);
  }
  const apes = own.replace('schemas/Fish', 'schemas/Ape');
  const fins = apes.replace('fins: { type: integer }', 'fins: { type: string }');
  t.same(
    (await changesOf(apes, fins)).map(([verdict, , elements]) => [verdict, elements]),
    [
      ['breaking', ['send']],
      ['breaking', ['apes', 'get']],
    ],
    'a friend of an ape may be a fish',
  );
  t.same(
    await changesOf(base, base.replace('arms: { type: integer }', 'arms: { type: integer }, tail: { type: string }')),
    [
      ['safe', 'rest:Gibbon:request.tail:added', ['send']],
      ['safe', 'rest:Gibbon:response.tail:added', ['get']],
    ],
  );
});

t.test('a change in a recursive schema is reported from every entry', async (t) => {
  const circle = (members: string[], any: string) => `${service("{ $ref: '#/components/schemas/Circle' }")}
    Circle: { type: object, properties: { ${members.join()} } }
    Choice: { type: object, properties: { a: {}, b: {} }, ${any}: [{ required: [a] }, { required: [b] }] }
`;
  const own = "self: { $ref: '#/components/schemas/Circle' }";
  const choice = "choice: { $ref: '#/components/schemas/Choice' }";
  for (const members of [
    [own, choice],
    [choice, own],
  ]) {
    const changes = await changesBetween(versionOf(circle(members, 'anyOf')), versionOf(circle(members, 'oneOf')));
    t.same(
      changes.map(({ verdict, id }) => `${verdict} ${id}`),
      ['breaking rest:Choice:request:exclusive:added', 'safe rest:Choice:response:exclusive:added'],
    );
  }
});

t.test('mutually recursive schemas are compared once', async (t) => {
  const kinds = Array.from({ length: 10 }, (_, index) => `Kind${index}`);
  const expression = "{ $ref: '#/components/schemas/Expression' }";
  const text = [
    service(expression),
    `    Expression: { oneOf: [${kinds.map((kind) => `{ $ref: '#/components/schemas/${kind}' }`).join()}] }`,
    ...kinds.map(
      (kind) =>
        `    ${kind}: { required: [kind], properties: { kind: { const: ${kind} }, left: ${expression}, right: ${expression}, of: { type: string } } }`,
    ),
  ].join('\n');
  const changes = await changesBetween(
    versionOf(text),
    versionOf(text.replace(/(const: Kind9 .*of: \{ type: )string/, '$1integer')),
  );
  t.match(
    changes.map(({ verdict, id }) => `${verdict} ${id}`),
    [/breaking rest:Kind9:request/, /breaking rest:Kind9:response/],
  );
});

const edited = (edits: DocumentCase[1], base = SHOP) =>
  edits.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`There is no ${from} to edit.`);
    return text.replaceAll(from, () => to);
  }, base);

for (const [title, base, cases] of [
  ['a document', SHOP, documentCases],
  ['a common contract', STORE, edits],
] as const)
  t.test(`verdicts of edits of ${title} and of their reversals`, async (t) => {
    for (const [name, list, forwards, backwards] of cases) {
      const other = edited(list, base);
      for (const [from, to, expected, way] of [
        [base, other, forwards, ''],
        [other, base, backwards, ', taken back'],
      ] as const) {
        const changes = await changesBetween(versionOf(from), versionOf(to));
        t.equal(
          worst(changes),
          expected,
          `${name}${way}: ${changes.map(({ verdict, message }) => `${verdict} ${message}`).join('; ')}`,
        );
      }
    }
  });

t.test('the edited documents are valid', async (t) => {
  const before = versionOf(SHOP);
  t.strictSame(await problemsOf({ root: '.', before, after: before }), []);
  for (const [name, edits] of documentCases) {
    const after = versionOf(edited(edits));
    t.strictSame(
      (await problemsOf({ root: '.', before: after, after })).map(({ message }) => message),
      [],
      name,
    );
  }
});

t.test('every removed or changed value is reported', async (t) => {
  const whole = parse(SHOP);
  /** Texts, and members that nothing uses. */
  const isNothing = (path: readonly string[]) =>
    /^(?:openapi|info|tags)\b|^components schemas Unused |\b(?:description|tags)\b|\bscopes \w+$/.test(path.join(' '));
  const paths: string[][] = [];
  const walk = (node: unknown, path: string[]) => {
    if (path.length > 0) paths.push(path);
    if (typeof node !== 'object' || node === null) return;
    for (const [key, member] of Object.entries(node)) walk(member, [...path, key]);
  };
  walk(whole, []);
  const before = versionOf(SHOP);
  for (const path of paths.filter((path) => !isNothing(path))) {
    const last = path.at(-1) as string;
    for (const edit of ['without', 'another'] as const) {
      const after = structuredClone(whole);
      const holder = path.slice(0, -1).reduce((node, key) => node[key], after);
      const value = holder[last];
      if (edit === 'another' && typeof value === 'object') continue;
      if (edit === 'another') holder[last] = typeof value === 'boolean' ? !value : `${value}x`;
      else if (Array.isArray(holder)) holder.splice(Number(last), 1);
      else delete holder[last];
      const changes = await changesBetween(before, versionOf(JSON.stringify(after)));
      t.not(changes.length, 0, `${edit} ${path.join('/')}`);
    }
  }
});

t.test('a change is placed at the edited lines', async (t) => {
  const lineOf = (text: string, part: string) => text.split('\n').findIndex((line) => line.includes(part)) + 1;
  const placeOf = async (edits: DocumentCase[1]) => {
    const after = edited(edits);
    const [first] = await changesBetween(versionOf(SHOP), versionOf(after));
    return { after, place: first?.place };
  };
  const path = await placeOf([['  /orders:', '  /purchases:']]);
  t.match(path.place, { line: lineOf(path.after, '  /purchases:'), old: false }, 'a path');
  const method = await placeOf([['    get:\n      operationId: photo', '    put:\n      operationId: photo']]);
  t.match(method.place, { line: lineOf(method.after, 'put:'), old: false }, 'a method');
  const required = await placeOf([
    [
      'Article: { type: object, required: [id]',
      'Article:\n      type: object\n      required:\n        - id\n        - name',
    ],
    [
      ', properties: { id: { type: integer }, name: { type: string } } }\n    Failure',
      '\n      properties: { id: { type: integer }, name: { type: string } }\n    Failure',
    ],
  ]);
  t.match(required.place, { line: lineOf(required.after, '        - name'), old: false }, 'a required member');
});

t.test('verdicts of edits of an SDL and of their reversals', async (t) => {
  const version = (schema: string): ProjectVersion => ({
    label: 'it',
    contracts: contractsOf({ schema }),
    migrations: [],
  });
  const all = [
    ...sdlCases.map((edit) => [GALLERY, ...edit] as const),
    ...sdlEdits.map((edit) => [STORE_SDL, ...edit] as const),
  ];
  for (const [base, name, edits, forwards, backwards] of all) {
    const [before, after] = [version(base), version(edited(edits, base))];
    t.strictSame(await problemsOf({ root: '.', before, after }), [], name);
    for (const [from, to, expected, way] of [
      [before, after, forwards, ''],
      [after, before, backwards, ', taken back'],
    ] as const) {
      const changes = await changesBetween(from, to);
      t.equal(
        worst(changes),
        expected,
        `${name}${way}: ${changes.map(({ verdict, message }) => `${verdict} ${message}`).join('; ')}`,
      );
    }
  }
});
