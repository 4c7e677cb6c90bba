import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import { variables } from '../../src/platform/core/variables.js';
import { EXTENSIONS } from '../../src/workbench/model/extensions.js';
import { page } from '../support/documentation.js';
import { sourcesIn } from '../support/imports.js';

const GLOSSARY = 'docs/glossary.md';
const sources = sourcesIn('src');
const contract = readFileSync('generated/openapi.yaml', 'utf8');

/** True for a file, an extension of the contract, a variable, a key of the complete contract, or an exported type or function. */
function isDefined(name: string): boolean {
  if (/^src\/|\.yaml$/.test(name)) return existsSync(name);
  if (name.startsWith('x-')) return name in EXTENSIONS;
  if (/^[A-Z_]+$/.test(name)) return name in variables.properties;
  const [whole = '', member] = name.split('.');
  const definition = `^export (async )?(type|interface|const|function) ${whole}\\b`;
  const body = member === undefined ? '' : `[^}]*\\n  (readonly )?${member}\\b`;
  return (
    Object.values(sources).some((text) => new RegExp(definition + body, 'm').test(text)) ||
    new RegExp(`^ +${name.replace('+', '\\+')}:`, 'm').test(contract)
  );
}

const rows = [...page(GLOSSARY).matchAll(/^\| ([^|`]+) \| `([^`]+)` \| ([^|]+) \|$/gm)].map(
  ([, term = '', name = '', meaning = '']) => ({ term, name, meaning }),
);

/** The words of a name in lower case: `placedErrors` gives `placed` and `errors`, `placed-errors.ts` too. */
const wordsOf = (name: string) =>
  name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z]+/);

/** True if a name consists of the words of a retired term, or contains them in their order. */
const contains = (name: string, retired: string) => `-${wordsOf(name).join('-')}-`.includes(`-${retired}-`);

t.test('each term of the glossary exists in the code, once, in alphabetical order', async (t) => {
  t.ok(rows.length > 30);
  for (const { term, name, meaning } of rows) {
    t.ok(isDefined(name), `${term}: ${name}`);
    t.match(meaning, /^[A-Z](?:(?!\. ).)*\.$/, `${term} has one sentence`);
  }
  for (const name of ['src/nothing', 'x-nothing', 'Access', 'Model.nobody', 'Nothing.owner', 'degraded'])
    t.notOk(isDefined(name), name);
  const terms = rows.map(({ term }) => term);
  t.same(terms, [...new Set(terms)].sort());
});

t.test('no exported name, file or folder of `src/` has a retired term', async (t) => {
  const [, list = ''] = page(GLOSSARY).split('<!-- retired -->');
  const retired = [...list.matchAll(/`([^`]+)`/g)].map(([, term = '']) => term);
  t.ok(retired.length > 20);
  const exported = Object.entries(sources).flatMap(([path, text]) =>
    [...text.matchAll(/^export (?:default )?(?:async )?(?:function\*?|const|class|interface|type|enum) (\w+)/gm)].map(
      ([, name = '']) => ({ name, path }),
    ),
  );
  t.ok(exported.length > 500);
  for (const term of retired) {
    t.same(
      exported.filter(({ name }) => contains(name, term)),
      [],
      term,
    );
    t.same(
      Object.keys(sources).filter((path) => contains(path, term)),
      [],
      `files: ${term}`,
    );
  }
});

t.test('the architecture lists each folder of `src/` in its map', async (t) => {
  const [, map = ''] = page('docs/architecture.md').split('<!-- folders -->');
  const listed = [...map.matchAll(/^\| `(src\/[^`]+)` \|/gm)].map(([, folder]) => folder);
  const folders = Object.keys(sources).flatMap((path) => {
    const folder = path.split('/').slice(0, -1);
    return folder.length === 0 || path.includes('/template/')
      ? []
      : [
          `src/${folder.slice(0, folder[0] === 'create' ? 1 : /^(core|parts)$/.test(`${folder[1]}`) ? 3 : 2).join('/')}`,
        ];
  });
  const tops = ['src/application', 'src/platform', 'src/platform/core', 'src/workbench'];
  t.same(listed, [...new Set(folders)].filter((folder) => !tops.includes(folder)).sort());
});
