import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Parser as SdlParser } from 'graphql/language/parser.js';
import t, { type Test } from 'tap';
import { Parser as YamlParser } from 'yaml';
import { filesIn } from '../../src/platform/core/contract/project-files.js';
import { bridge } from '../../src/workbench/bridge/bridge.js';
import { lint } from '../../src/workbench/cli/lint.js';
import { measureCoverage } from '../../src/workbench/coverage/measure.js';
import { diffReport, problemsOf } from '../../src/workbench/diff/report.js';
import { generate } from '../../src/workbench/generate/generate.js';
import { check } from '../../src/workbench/model/check.js';
import { type Contracts, contractsOf, readContracts } from '../../src/workbench/model/contracts.js';
import { ROOT, temporaryFolder } from '../support/process.js';
import '../support/typescript.js';
import { openapi, schema } from '../support/small-project.js';

const WHOLE = ['openapi', 'schema', 'prisma'] as const;

const HERE = fileURLToPath(import.meta.url);

/** Returns true if our code called the parser of a package. */
function calledByUs(parser: string): boolean {
  const [, ...calls] = (new Error().stack ?? '').split('\n');
  const caller = calls.find((call) => !call.includes(`/node_modules/${parser}/`) && !call.includes(HERE));
  return caller?.includes(join(ROOT, 'src')) === true;
}

/** Returns the texts that our code parsed during some work, with repetitions. */
async function parsedBy(work: () => unknown): Promise<string[]> {
  const parsed: string[] = [];
  const [{ parse }, { parseDocument }] = [YamlParser.prototype, SdlParser.prototype];
  YamlParser.prototype.parse = function (source, ...rest) {
    if (calledByUs('yaml')) parsed.push(source);
    return parse.call(this, source, ...rest);
  };
  SdlParser.prototype.parseDocument = function () {
    if (calledByUs('graphql')) parsed.push(this['_lexer'].source.body);
    return parseDocument.call(this);
  };
  try {
    await work();
  } finally {
    YamlParser.prototype.parse = parse;
    SdlParser.prototype.parseDocument = parseDocument;
  }
  return parsed;
}

const textsOf = ({ openapi, schema }: Contracts) => [...openapi.texts.values(), ...schema.texts.values()];

async function isParsedOnce(t: Test, versions: readonly Contracts[], work: () => unknown) {
  t.strictSame((await parsedBy(work)).sort(), versions.flatMap(textsOf).sort(), 'each text, and once');
}

t.test('each text is parsed once', async (t) => {
  const contracts = await readContracts(ROOT, WHOLE);

  await t.test('never, if nothing of it is read', (t) => isParsedOnce(t, [], () => contractsOf({})));
  await t.test('by a lint', async (t) => {
    const fresh = await readContracts(ROOT);
    await isParsedOnce(t, [fresh], () => lint(ROOT, fresh));
  });
  await t.test('by a bridge, with the check before it', (t) =>
    isParsedOnce(t, [contracts], async () => {
      t.strictSame(await check(contracts), []);
      bridge(contracts);
    }),
  );
  await t.test('and never again', (t) => isParsedOnce(t, [], () => measureCoverage(contracts, new Map())));
  await t.test('by a measurement of coverage', async (t) => {
    const fresh = await readContracts(ROOT);
    await isParsedOnce(t, [fresh], () => measureCoverage(fresh, new Map()));
  });
  await t.test('by a generation', async (t) => {
    const fresh = await readContracts(ROOT);
    await isParsedOnce(t, [fresh], () => generate(fresh, { root: ROOT, check: true }));
  });
  await t.test('by a diff, of both versions', async (t) => {
    const current = await readContracts(ROOT);
    const [before, after] = [
      contractsOf({ openapi, schema }),
      contractsOf({ openapi: current.openapi.text, schema: current.schema.text }, undefined, filesIn(ROOT)),
    ];
    const version = (label: string, contracts: Contracts) => ({ label, contracts, migrations: [] });
    const options = {
      root: temporaryFolder(t),
      before: version('before', before),
      after: version('after', after),
    };
    await isParsedOnce(t, [before, after], async () => {
      t.strictSame(await problemsOf(options), []);
      await diffReport(options);
    });
  });
});

t.test('each part of the model is made once', async (t) => {
  const contracts = await readContracts(ROOT, WHOLE);
  const parts = ({ openapi, schema, prisma, permissions }: Contracts) => [
    ...[openapi.written, openapi.document, openapi.operations],
    ...[schema.document, schema.errors, schema.schema],
    ...[prisma.models, prisma.enums],
    permissions,
  ];
  const [first, second] = [parts(contracts), parts(contracts)];
  for (const [index, part] of first.entries()) t.equal(part, second[index]);
});

t.test('the model of a text with syntax errors throws them with their place', async (t) => {
  const broken = contractsOf({ openapi: openapi.replace('paths:', 'paths: {'), schema: schema.replace('{', '{{') });
  t.match(broken.openapi.errors, [{ file: 'openapi.yaml', rule: 'syntax' }]);
  const [error] = broken.openapi.errors;
  const place = new RegExp(`^openapi\\.yaml:${error?.line}:${error?.column} `);
  t.throws(() => broken.openapi.document, { message: place });
  t.throws(() => broken.openapi.operations, { message: place });
  t.throws(() => broken.permissions, { message: place });
  t.throws(() => broken.schema.schema, { name: 'GraphQLError', message: /^Syntax Error/ });
  const parsed = await parsedBy(() => {
    for (const read of [() => broken.openapi.document, () => broken.schema.errors]) t.throws(read);
  });
  t.strictSame(parsed, [], 'and is not parsed again for it');
});
