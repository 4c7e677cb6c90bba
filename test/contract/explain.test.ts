import { readFileSync } from 'node:fs';
import t from 'tap';
import { parse } from 'yaml';
import type { Explanation, Part } from '../../src/workbench/explain/explain.js';
import { accord } from '../support/accord.js';

const lines = new Map<string, string[]>();
const lineAt = ({ file, line }: { file: string; line: number }) => {
  const text = lines.get(file) ?? readFileSync(file, 'utf8').split('\n');
  lines.set(file, text);
  return text[line - 1] ?? '';
};

const all = (parts: readonly Part[]): Part[] => parts.flatMap((one) => [one, ...all(one.parts ?? [])]);

t.test('accord explain prints an operation with the place of each part', async (t) => {
  const { paths } = parse(readFileSync('generated/openapi.yaml', 'utf8'));
  const { code, stdout } = await accord(t, ['explain', 'updateUser', '--json']);
  t.equal(code, 0);
  const { what, sections, at }: Explanation = JSON.parse(stdout);
  const partsOf = (title: string) => sections.find((one) => one.title === title)?.parts ?? [];
  t.equal(what, 'PATCH /api/v1/users/{user_id}');
  t.match(lineAt(at), 'operationId: updateUser');

  const published = paths['/api/v1/users/{user_id}'].patch;
  const answers = partsOf('Responses');
  t.same(
    answers.map(({ name }) => name),
    Object.keys(published.responses),
  );
  for (const { name, at: place, parts = [] } of answers) {
    t.match(place && lineAt(place), `'${name}'`, `${name} at its line`);
    for (const inner of parts.filter(({ says }) => says === 'header'))
      t.match(inner.at && lineAt(inner.at), inner.name, `${name} ${inner.name}`);
  }
  const [ok] = answers;
  t.same(
    ok?.parts?.filter(({ says }) => says === 'header').map(({ name }) => name),
    Object.keys(published.responses['200'].headers),
  );
  const [own, byDefault] = ['200', '503'].map((status) => answers.find(({ name }) => name === status)?.at);
  t.equal(own?.byDefault, undefined);
  t.match(byDefault?.byDefault, /^Every counted request/);

  t.match(partsOf('Permissions'), [
    { name: 'users.update', says: 'viewer and developer: own resources; admin: all resources' },
    {
      name: 'users.set-role',
      says: 'admin: all resources; viewer and developer: no access; required when role differs from the stored one',
    },
    { name: 'authenticated by', says: 'basicAuth, opaqueToken, jwt, cookieAuth' },
  ]);
  t.ok(all(partsOf('Request')).some(({ name, says }) => name === 'path user_id' && says === 'UserId, required'));
  t.match(partsOf('Handlers')[0], { name: 'updateUser', at: { file: 'src/application/rest/users.ts' } });
  t.ok(partsOf('Tests').length > 0);
  const pairs = partsOf('Counterparts').map(({ name, at: place }) => `${name} ${place?.file}`);
  t.ok(pairs.includes('Mutation.updateUser schema.graphql'), 'its counterpart', { pairs });
  t.ok(pairs.includes('User prisma/schema.prisma'), 'and that of the types it uses', { pairs });
});

t.test('accord explain prints a field of schema.graphql and a member of a schema', async (t) => {
  const explained = async (name: string): Promise<Explanation> =>
    JSON.parse((await accord(t, ['explain', name, '--json'])).stdout);
  const user = await explained('Query.user');
  t.equal(user.what, 'user: User');
  t.match(lineAt(user.at), 'user(');
  t.ok(
    user.sections.some(({ title, parts }) => title === 'Counterparts' && parts.some(({ name }) => name === 'getUser')),
  );
  const email = await explained('User.email');
  const pairs = email.sections.find(({ title }) => title === 'Counterparts')?.parts.map(({ at }) => at?.file);
  t.same(pairs?.sort(), ['openapi.yaml', 'prisma/schema.prisma']);
  const total = await explained('Order.total');
  t.match([total.what, lineAt(total.at)], ['a member of the schema Order', /^ +total: /]);

  const { code, stdout } = await accord(t, ['explain', 'getUser']);
  t.equal(code, 0);
  t.match(stdout, /^Handlers\n {2}getUser {2}record\(User, 'user_id'\) {2}src\/application\/rest\/users\.ts:\d+/m);
  t.match(stdout, /^ {2}404 {2}`NOT_FOUND`.* openapi\.yaml:\d+:9 \[(\d)\]$[\s\S]*^ {2}\[\1\] Versioned operations/m);
  const unknown = await accord(t, ['explain', 'getNobody']);
  t.same([unknown.code, unknown.stdout], [2, '']);
  t.match(unknown.stderr, /have no getNobody.* getUser,/);
});
