import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { accord } from '../support/accord.js';
import { temporaryFolder } from '../support/process.js';
import { openapi, prisma, schema } from './diff-cases.js';

type Edit = readonly (readonly [from: string, to: string])[];

const edited = (text: string, edit: Edit) =>
  edit.reduce((all, [from, to]) => {
    if (!all.includes(from)) throw new Error(`There is no ${from} to edit.`);
    return all.replaceAll(from, to);
  }, text);

/** The page of an edit, as the command writes it. */
async function pageOf(t: Test, edits: { rest?: Edit; sdl?: Edit; database?: Edit }) {
  const [before, after] = [temporaryFolder(t), temporaryFolder(t)];
  const texts = { 'openapi.yaml': openapi, 'schema.graphql': schema };
  for (const [file, text] of Object.entries(texts)) {
    writeFileSync(join(before, file), text);
    writeFileSync(join(after, file), edited(text, (file === 'openapi.yaml' ? edits.rest : edits.sdl) ?? []));
  }
  const file = join(after, 'page.html');
  const { code, stdout, stderr } = await accord(t, ['diff', '--from', before, '--to', after, '--html', file]);
  t.strictSame([stdout, stderr], ['', `Written: ${file}\n`]);
  return { code, page: readFileSync(file, 'utf8') };
}

const TAG = /<(\/?)([a-z]+[1-6]?)(?:\s+[a-z-]+="[^"<]*")*>/g;
const VOID = new Set(['meta', 'col', 'br']);

/** What is wrong with a page that is to need nothing else: tags that are not closed, links that lead nowhere, what is loaded. */
function faultsOf(page: string): string[] {
  const body = page.replace(/<style>[^<]*<\/style>/, '').replace('<!doctype html>', '');
  const open: string[] = [];
  const faults: string[] = [];
  for (const [whole, slash, name = ''] of body.matchAll(TAG)) {
    if (slash === '' && !VOID.has(name)) open.push(name);
    if (slash !== '' && open.pop() !== name) faults.push(`${whole} closes another`);
  }
  const rest = body.replaceAll(TAG, '');
  if (/[<>]/.test(rest)) faults.push(`no tag: ${/.{0,30}[<>].{0,30}/.exec(rest)?.[0]}`);
  const ids = [...body.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  if (new Set(ids).size < ids.length) faults.push('an id twice');
  for (const [, target] of body.matchAll(/ href="([^"]*)"/g))
    if (!ids.includes(target?.slice(1))) faults.push(`${target} leads nowhere`);
  faults.push(...open, ...(body.match(/<(?:script|link|img|iframe|object)|<[^>]*\s(?:src|on\w+)=/g) ?? []));
  return faults;
}

/** The words of a page, without its tags. */
const wordsOf = (html: string) => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

t.test('a page tells what changes for whom, the worst first, with both versions of the lines', async (t) => {
  const { code, page } = await pageOf(t, {
    rest: [
      ['notes.list, viewer: own', 'notes.list, viewer: none'],
      ['enum: [red, green]', 'enum: [red, green, blue]'],
      ["        '404': { description: None. }\n", "        '404': { description: There is none. }\n"],
    ],
    sdl: [['  nick: String\n', '  nick: String!\n  size: Int\n']],
  });
  t.equal(code, 1);
  t.strictSame(faultsOf(page), []);
  const sections = [...page.matchAll(/<section id="([^"]*)"/g)].map(([, id]) => id);
  t.strictSame(sections, ['who', 'breaking', 'risky', 'permissions', 'safe', 'words']);
  const section = (id: string) => page.slice(page.indexOf(`<section id="${id}"`)).split('</section>')[0] ?? '';
  t.match(
    wordsOf(page.split('<main>')[0] ?? ''),
    /1 breaking change 1 more may surprise somebody\. This is a major change/,
  );
  t.match(wordsOf(section('who')), /Roles: who may do what 1/);
  t.match(section('breaking'), /permission of listNotes: viewer own → none/);
  t.match(section('breaking'), /openapi\.yaml:14:7/);
  t.match(section('breaking'), /<b>GET<\/b> \/notes</);
  t.match(section('breaking'), /viewer: <del>own<\/del>, developer: any.*viewer: <ins>none<\/ins>, developer: any/s);
  t.match(section('breaking'), /- change: rest:listNotes:permission:narrowed/);
  t.match(section('permissions'), /<td class="lost"><del>own<\/del> → <ins>none<\/ins> <small>loses<\/small><\/td>/);
  t.match(
    wordsOf(section('safe')),
    /value blue of Colour in requests is new.*Before openapi\.yaml:67 After openapi\.yaml:67 /,
  );
  t.match(section('safe'), /enum: \[red, green<ins>, blue<\/ins>\]/);
  t.match(
    wordsOf(section('safe')),
    /Field size was added.*New schema\.graphql:13 11 name: String! 12 nick: String! 13 size/,
  );
  t.match(section('words'), /description of <code>the 404 response of listNotes<\/code>/);
  t.match(section('words'), /<ins>There is none<\/ins>/);
});

t.test('what a contract says is text on the page, and is seen', async (t) => {
  const hostile = '</code><script>alert(1)</script><img src=x onerror=alert(1)>';
  const { page } = await pageOf(t, {
    rest: [
      ['enum: [red, green]', `enum: [red, green, ${JSON.stringify(hostile)}, "a\\u202eb"]`],
      ['description: Gone.', `description: ${JSON.stringify(`${hostile}"&amp; \u200b`)}`],
      ['operationId: createNote', `operationId: ${JSON.stringify('"><b id="x">')}`],
    ],
    sdl: [['type Note {', `"${hostile}"\ntype Note {`]],
  });
  t.strictSame(faultsOf(page), []);
  t.match(page, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/);
  t.match(page, /&amp;amp; ⟨U\+200B⟩/);
  t.match(page, /a⟨U\+202E⟩b/);
  t.notMatch(page, /[\u200b\u202e]/);
});

t.test('a page of many changes has one line for each', async (t) => {
  const members = Array.from({ length: 30 }, (_, index) => `        more${index}: { type: string }\n`).join('');
  const { code, page } = await pageOf(t, {
    rest: [['        name: { type: string }\n', `        name: { type: string }\n${members}`]],
  });
  t.equal(code, 0);
  t.strictSame(faultsOf(page), []);
  t.equal(page.match(/<details class="change safe"/g)?.length, 30);
});

t.test('and where there are none, it says so', async (t) => {
  const same = await pageOf(t, {});
  t.equal(same.code, 0);
  t.strictSame(faultsOf(same.page), []);
  t.match(same.page, /<h1>Nothing changed<\/h1>/);
  t.notMatch(same.page, /<section/);
  const { page } = await pageOf(t, { rest: [['title: Notes', 'title: My notes']] });
  t.strictSame(faultsOf(page), []);
  t.match(page, /<h1>Only words changed<\/h1>/);
  t.match(page, /title of the contract/);
});

t.test('it is printed, or written to a file of that kind only', async (t) => {
  const root = temporaryFolder(t);
  writeFileSync(join(root, 'openapi.yaml'), openapi);
  writeFileSync(join(root, 'schema.prisma'), prisma);
  const asked = (...args: string[]) => accord(t, ['--root', root, 'diff', '--from', root, ...args]);
  const printed = await asked('--html');
  t.match(printed, { code: 0, stdout: /^<!doctype html>/, stderr: '' });
  t.equal((await asked('--format', 'html')).stdout, printed.stdout);
  const file = join(root, 'openapi.yaml');
  t.match(await asked('--html', file), { code: 2, stdout: '', stderr: /^--html takes a file that ends in \.html/ });
  t.equal(readFileSync(file, 'utf8'), openapi);
  t.match(await asked('--html', join(root, 'no', 'page.html')), {
    code: 2,
    stderr: /^The page cannot be written: ENOENT/,
  });
  const both = await asked('--html', join(root, 'page.html'), '--format', 'markdown');
  t.match(both, { code: 0, stdout: /^## Contract changes/, stderr: /^Written: / });
});
