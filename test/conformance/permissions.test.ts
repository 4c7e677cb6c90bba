import t from 'tap';
import type { Permission } from '../../src/platform/core/contract/document.js';
import type { RestOperation } from '../../src/platform/core/contract/openapi.js';
import { matrixOf, mechanismsOf } from '../../src/testing/contract.js';
import { permissions } from '../../src/testing/index.js';
import { ofExample } from '../support/conformance.js';
import { contract } from '../support/contract.js';
import { onEachDatabase } from '../support/databases.js';
import { readMatrix } from '../support/permissions.js';
import { startService } from '../support/service.js';

t.test('the suite tests the committed matrix, which people review', async (t) => {
  const reviewed = readMatrix();
  const tried = matrixOf(contract);
  for (const kind of ['rest', 'graphql'] as const) {
    t.strictSame(
      tried[kind].map(({ name, when, permissions }) => {
        const { viewer, developer, admin } = permissions.at(-1) as Permission;
        return [name, when, viewer, developer, admin];
      }),
      reviewed[kind]
        .filter(({ anonymous }) => anonymous === '401')
        .map(({ name, when, viewer, developer, admin }) => [name, when, viewer, developer, admin]),
    );
  }
  for (const { name, when, cells } of reviewed.rest.filter(({ when }) => when === undefined)) {
    const operation = contract.operations.find(({ operationId }) => operationId === name) as RestOperation;
    const { basicAuth, opaqueToken, jwt, cookieAuth, metricsToken } = cells;
    const taken = Object.entries({ basicAuth, opaqueToken, jwt, cookieAuth, metricsToken }).filter(
      ([, cell]) => cell === 'yes',
    );
    t.strictSame(
      [...mechanismsOf(operation)].sort(),
      taken.map(([mechanism]) => mechanism).sort(),
      `${name}${when ?? ''}`,
    );
  }
});

onEachDatabase(t, async (t, open) => {
  await ofExample(permissions, t, open);

  t.test('the service rejects members that the caller must not set', async (t) => {
    const { rest, database, viewer, admin } = await startService(t, await open());
    const path = `/api/v1/users/${viewer.id}`;
    const before = await database.client.user.findUniqueOrThrow({ where: { id: viewer.id } });
    const attempts = [{ id: 1 }, { createdAt: '2020-01-01T00:00:00.000Z' }, { passwordHash: 'x' }, { role: 'admin' }];
    for (const body of attempts) {
      const { status } = await rest('PATCH', path, { as: viewer, body });
      t.equal(status, 'role' in body ? 403 : 422, String(Object.keys(body)));
      const full = { name: 'N', email: 'new@example.com', role: 'viewer', ...body };
      t.equal((await rest('POST', '/api/v1/users', { as: viewer, body: full })).status, 403);
      const created = await rest('POST', '/api/v1/users', { as: admin, body: full });
      t.equal(created.status, 'role' in body ? 201 : 422);
      t.notMatch(created.text, /"passwordHash"|argon/i);
    }
    t.same(await database.client.user.findUniqueOrThrow({ where: { id: viewer.id } }), before);
  });
});
