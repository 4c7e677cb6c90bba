import t from 'tap';
import { accord } from '../support/accord.js';
import { temporaryFolder } from '../support/process.js';
import { openapi, prisma, schema } from './diff-cases.js';
import { gitProject } from './git-project.js';

const edited = (text: string, ...edits: [from: string, to: string][]) =>
  edits.reduce((all, [from, to]) => all.replaceAll(from, to), text);

const BREAK = 'rest:listNotes:parameter.query.limit:maximum:lowered';

t.test('accord changelog lists the changes for clients by release', async (t) => {
  const { root, write, git, commit } = gitProject(t);
  const changelog = (...args: string[]) => accord(t, ['--root', root, 'changelog', ...args]);
  t.match(await changelog(), {
    code: 2,
    stdout: '',
    stderr: /^There is no release: no tag is a version, such as v1\.0\.0\. Name a commit/,
  });
  t.match(await changelog('HEAD..'), { code: 0, stdout: '## Unreleased\n\nNothing that a client sees.\n' });

  git('tag', 'v1.0.0');
  const second = edited(
    openapi,
    ['openapi: 3.1.0', `openapi: 3.1.0\nx-accepted-breaks: [{ change: '${BREAK}', reason: Nobody asked for more }]`],
    ['maximum: 100,', 'maximum: 50,'],
    ['enum: [red, green]', 'enum: [red, green, blue]'],
  );
  const sdl = edited(
    schema,
    ['  old: Int @deprecated(reason: "Use id, until 2026-06-30.")\n', ''],
    ['  nick: String\n', '  nick: String @deprecated(reason: "Use name.")\n  size: Int\n'],
  );
  write('openapi.yaml', second);
  write('schema.graphql', sdl);
  commit('second');
  git('-c', 'user.useConfigOnly=false', 'tag', '--annotate', '--message', 'second', 'notes@1.1.0');
  git('tag', 'deployed-3');
  const third = edited(
    second,
    ["'404': { description: None. }", "'404': { description: There is none. }"],
    ['maxLength: 500, format: email', 'maxLength: 400, format: email'],
  );
  write('openapi.yaml', third);
  write('prisma/schema.prisma', edited(prisma, ['@default(1)', '@default(2)']));

  const { code, stdout } = await changelog('v1.0.0..');
  t.equal(code, 0);
  const date = /^## 1\.1\.0 - (\d{4}-\d\d-\d\d)$/m.exec(stdout)?.[1] ?? '';
  t.equal(
    stdout,
    `## Unreleased

### Changed

- REST: maxLength of \`text\` of Note in responses: \`500\` → \`400\` (\`GET /notes\`, \`POST /notes\`).

### Fixed

- REST, in words only: description of \`the 404 response of listNotes\`.

## 1.1.0 - ${date}

### Breaking

- REST: maximum of \`limit\` of the query parameters of listNotes: \`100\` → \`50\` (\`GET /notes\`). Nobody asked for more.

### Added

- REST: value \`blue\` of Colour in responses is new (\`GET /notes\`, \`POST /notes\`).
- REST: value \`blue\` of Colour in requests is new (\`POST /notes\`).
- GraphQL: Field \`size\` was added to object type \`Person\`.

### Deprecated

- GraphQL: Field \`Person.nick\` is deprecated.

### Removed

- GraphQL: Field \`old\` (deprecated) was removed from object type \`Person\`.
`,
  );
  t.equal((await changelog()).stdout, stdout.split('\n## 1.1.0')[0], 'since the last release');
  t.equal((await changelog('v1.0.0..notes@1.1.0')).stdout, stdout.slice(stdout.indexOf('## 1.1.0')));
  t.match(JSON.parse((await changelog('v1.0.0', '--json')).stdout), [
    { entries: [{ kind: 'Changed', side: 'rest' }, { kind: 'Fixed' }] },
    {
      version: '1.1.0',
      date,
      entries: [{ kind: 'Breaking', requests: ['GET /notes'], reason: 'Nobody asked for more' }],
    },
  ]);
});

t.test('an unusable range exits 2 with one sentence', async (t) => {
  const { root, write } = gitProject(t);
  const changelog = (folder: string, ...args: string[]) => accord(t, ['--root', folder, 'changelog', ...args]);
  t.match(await changelog(root, 'v9..'), { code: 2, stderr: 'git knows no commit "v9" here.\n' });
  t.match(await changelog(root, '..HEAD'), { code: 2, stderr: /^Name the commit to begin with/ });
  t.match(await changelog(root, 'HEAD...HEAD'), { code: 2, stderr: /^"HEAD\.\.\.HEAD" is not a range of commits/ });
  t.match(await changelog(temporaryFolder(t)), { code: 2, stderr: /is not a git repository\.$/m });
  write('openapi.yaml', openapi.replace('schemas/Note', 'schemas/Not'));
  t.match(await changelog(root, 'HEAD..'), { code: 2, stdout: '', stderr: /^openapi\.yaml:\d+:\d+ {2}error {2}/ });
});
