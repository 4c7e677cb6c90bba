import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import { page } from '../support/documentation.js';
import { sourcesIn } from '../support/imports.js';

const GLOSSARY = 'docs/glossary.md';
const sources = sourcesIn('src');
const code = [...Object.values(sources), readFileSync('openapi.yaml', 'utf8'), readFileSync('schema.graphql', 'utf8')];

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
    const word = new RegExp(`(?<![\\w-])${name.replace(/[.+/]/g, '\\$&')}(?![\\w-])`);
    t.ok(name.startsWith('src/') ? existsSync(name) : code.some((text) => word.test(text)), `${term}: ${name}`);
    t.match(meaning, /^[A-Z](?:(?!\. ).)*\.$/, `${term} has one sentence`);
  }
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
