import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { BOUNDS } from '../../../src/platform/core/bounds.js';
import { Failure } from '../../../src/platform/core/calls/errors.js';
import { readMigrations } from '../../../src/platform/database/migrations.js';
import { onEachDatabase } from '../../support/databases.js';
import { fakeGateway } from '../../support/gateway.js';
import { answerOf, DAY, keyedRequests, ordersOf, testKeysOf } from '../../support/keys.js';
import { someoneWaits } from '../../support/locks.js';
import { eventually } from '../../support/process.js';
import { codeOf, type RestAnswer, startInstance, startService } from '../../support/service.js';
import { uncommitted } from '../../support/uncommitted.js';

const EUR = { total: { amount: 1999, currency: 'EUR' } };
const USERS = '/api/v1/users';
const ORDERS = '/api/v1/orders';

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { client } = database;
  const gateway = await fakeGateway(t);
  let moved = 0;
  const service = await startService(t, database, { PAYMENT_URL: gateway.url }, () => Date.now() + moved);
  const { rest, admin, viewer, developer } = service;
  const { post, newKey, newUser, order, operations, viewerNow, startSweeper } = keyedRequests(service, gateway);

  for (const name of ['createUser', 'createOrder'] as const) testKeysOf(t, name, operations[name], service);

  t.test('an answer that cannot be stored fails the request, and nothing is written', async (t) => {
    await client.$executeRawUnsafe(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION SQLSTATE '53100'; END $$`);
    await client.$executeRawUnsafe(`CREATE TRIGGER refuse BEFORE INSERT ON idempotency_keys
      FOR EACH ROW EXECUTE FUNCTION refuse()`);
    const before = await client.order.count();
    const key = newKey();
    t.same(codeOf(await post(viewer, ordersOf(viewer), key, EUR)), [507, 'INSUFFICIENT_STORAGE']);
    t.equal(await client.order.count(), before);
    await client.$executeRawUnsafe('DROP FUNCTION refuse CASCADE');
    t.equal((await post(viewer, ordersOf(viewer), key, EUR)).status, 201, 'the key can be used again');
  });

  t.test('more concurrent requests than may wait are 409 with Retry-After', async (t) => {
    const key = newKey();
    const path = `${ORDERS}/${await order()}/payment`;
    gateway.hold();
    const all = Array.from({ length: BOUNDS.keyWaiting.value + 8 }, () => post(viewer, path, key));
    const refused = await Promise.race(all);
    t.same([...codeOf(refused), refused.headers.get('retry-after')], [409, 'CONFLICT', '2']);
    gateway.release();
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    t.same(statuses.filter((status) => status !== 409).length, BOUNDS.keyWaiting.value + 1);
    t.same([...new Set(statuses)].sort(), [200, 409]);
  });

  t.test('a conflict with the first request, which another instance has answered, becomes its answer', async (t) => {
    const { policy, seams } = service.app.core;
    const actor = { id: viewer.id, role: 'VIEWER', mechanism: 'jwt' } as const;
    const call = { policy, actor, address: '127.0.0.1', requestId: 'test', enforce: async () => {} };
    const answer = { status: 201, body: { id: 1 } };
    const repeat = (isFirstAnswered: boolean) => {
      const request = { operation: 'createOrder', key: newKey(), content: () => 'the same body' };
      return seams.idempotency.inTurn(call, request, async () => {
        if (isFirstAnswered) await client.$transaction((tx) => seams.idempotency.keep(tx, call, request, { answer }));
        throw new Failure('CONFLICT', 'The order is paid.');
      });
    };
    t.same(await repeat(true), answer);
    await t.rejects(repeat(false), { code: 'CONFLICT', message: 'The order is paid.' });
  });

  t.test('a key belongs to one caller, operation and path', async (t) => {
    const key = newKey();
    const mine = await post(viewer, ordersOf(viewer), key, EUR);
    const theirs = await post(developer, ordersOf(developer), key, EUR);
    t.same([mine.status, theirs.status], [201, 201]);
    t.not(mine.body.id, theirs.body.id);
    t.equal((await post(viewer, `${ORDERS}/${mine.body.id}/payment`, key)).status, 200, 'another operation');
    const elsewhere = await post(viewer, `${ORDERS}/${await order()}/payment`, key);
    t.same(codeOf(elsewhere), [422, 'VALIDATION_FAILED'], 'another order');
    t.same(codeOf(await post(viewer, ordersOf(developer), key, EUR)), [403, 'FORBIDDEN'], 'authorisation comes first');
  });

  t.test('answers in the old storage format are repeated', async (t) => {
    await client.$executeRawUnsafe('ALTER TABLE idempotency_keys ADD COLUMN result JSONB');
    const repeats: (() => Promise<unknown>)[] = [];
    for (const [name, request] of Object.entries(operations)) {
      const [path, body, , , headers] = await request();
      const key = newKey();
      const first = await post(admin, path, key, body, headers);
      const { total, status, _links, ...others } = first.body;
      const version = Number(first.headers.get('etag')?.replaceAll('"', '').split('-')[1]);
      const role = { ...(others.role && { role: others.role.toUpperCase() }) };
      const row = { ...others, ...total, ...(status && { status: status.toUpperCase() }), ...role, version };
      await client.$executeRaw`UPDATE idempotency_keys SET result = ${row}::jsonb WHERE key = ${key}`;
      repeats.push(async () => t.same(answerOf(await post(admin, path, key, body, headers)), answerOf(first), name));
    }
    const id = await order();
    const key = newKey();
    gateway.otherwise = 'lost in 500';
    t.equal((await post(viewer, `${ORDERS}/${id}/payment`, key)).status, 502);

    const { script = '' } = readMigrations().find(({ name }) => name.endsWith('_idempotent_answers')) ?? {};
    await client.$transaction(async (db) => {
      await db.$executeRawUnsafe('ALTER TABLE idempotency_keys DROP COLUMN answer');
      await db.$executeRawUnsafe('ALTER TABLE idempotency_keys RENAME COLUMN work_id TO payment_id');
      await db.$executeRawUnsafe('ALTER INDEX idempotency_keys_work_id_idx RENAME TO idempotency_keys_payment_id_idx');
      for (const statement of script.split(/;$/m).filter((part) => part.trim())) await db.$executeRawUnsafe(statement);
    });
    for (const repeat of repeats) await repeat();
    gateway.otherwise = 'settle';
    moved += 60_000;
    await eventually('the background has asked again', async () => {
      const { status, body } = await post(viewer, `${ORDERS}/${id}/payment`, key);
      if (status === 409) return undefined;
      t.match([status, body], [200, { id, status: 'paid' }], 'what was under way ends as it would have');
      return true;
    });
  });

  t.test('a failed request frees its key', async (t) => {
    const key = newKey();
    t.equal((await post(viewer, ordersOf(viewer), key, { total: { amount: 0, currency: 'EUR' } })).status, 422);
    t.equal((await post(viewer, ordersOf(viewer), key, EUR)).status, 201);
  });

  /** A payment that the gateway has received and not answered. */
  async function slowPayment() {
    const id = await order();
    const key = newKey();
    const path = `${ORDERS}/${id}/payment`;
    const pay = () => post(viewer, path, key);
    const requests = () => gateway.requests.filter(({ body }) => body.order_id === id).length;
    gateway.hold();
    const first = pay();
    await eventually('the gateway is asked', () => requests() > 0);
    return { path, key, pay, requests, first };
  }

  t.test('a second request waits for the answer of the first', async (t) => {
    const { pay, requests, first } = await slowPayment();
    const others = [pay(), pay()];
    t.equal(await Promise.race([...others, delay(300)]), undefined, 'no answer yet');
    gateway.release();
    const answer = answerOf(await first);
    t.equal(answer.status, 200);
    for (const response of await Promise.all(others)) t.same(answerOf(response), answer);
    t.equal(requests(), 1);
  });

  t.test('a key in flight for too long is 409 with Retry-After, without an effect', async (t) => {
    const { pay, requests, first } = await slowPayment();
    const second = await pay();
    t.match(second.body, { status: 409, code: 'CONFLICT', detail: /idempotency key is still running/ });
    t.equal(second.headers.get('retry-after'), '2');
    gateway.release();
    const asked = requests();
    t.equal((await first).status, 200);
    t.same(answerOf(await pay()), answerOf(await first));
    t.equal(requests(), asked);
  });

  t.test('a request that waits for one that fails has an effect of its own', async (t) => {
    const path = `${ORDERS}/${await order()}/payment`;
    const key = newKey();
    gateway.next.push('decline');
    gateway.hold();
    const declined = post(viewer, path, key);
    await eventually('the gateway is asked', () => gateway.next.length === 0);
    const paid = post(viewer, path, key);
    gateway.release();
    t.same(codeOf(await declined), [422, 'PAYMENT_DECLINED']);
    t.equal((await paid).status, 200);
  });

  t.test('a key is one key on all instances', { skip: !database.url && 'one instance' }, async (t) => {
    const other = await startInstance(t, database, { PAYMENT_URL: gateway.url }, { now: () => Date.now() + moved });
    const body = newUser();
    const key = newKey();
    const at = (instance: Pick<typeof other, 'rest'>, path: string, sent: object, as = admin) =>
      instance.rest('POST', path, { as, body: sent, headers: { 'idempotency-key': key } });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => at(i % 2 === 0 ? service : other, USERS, body)),
    );
    for (const answer of answers) t.same(answerOf(answer), answerOf(answers[0] as RestAnswer));
    t.equal(answers[0]?.status, 201);
    t.equal(await client.user.count({ where: { email: body.email } }), 1);

    const { path, key: slow, requests, first } = await slowPayment();
    const elsewhere = other.rest('POST', path, { as: viewer, headers: { 'idempotency-key': slow } });
    t.equal(await Promise.race([elsewhere, delay(300)]), undefined, 'no answer yet');
    gateway.release();
    t.same(answerOf(await elsewhere), answerOf(await first));
    t.equal(requests(), 1);

    // The insert of an order waits for this lock, after the key was claimed.
    const hold = await uncommitted(client, (db) => db.$executeRaw`SELECT pg_advisory_xact_lock(36)`);
    await client.$executeRawUnsafe(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_advisory_xact_lock_shared(36); RETURN NEW; END $$`);
    await client.$executeRawUnsafe('CREATE TRIGGER hold BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION hold()');
    const before = await client.order.count();
    const killed = at(service, ordersOf(viewer), EUR, viewer);
    await someoneWaits(database);
    const survivor = at(other, ordersOf(viewer), EUR, viewer);
    await delay(300);
    await client.$queryRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event = 'advisory'`;
    t.equal((await killed).status, 503);
    hold.commit();
    await hold.over;
    t.equal((await survivor).status, 201, 'the second request takes over');
    t.equal(await client.order.count(), before + 1);
    await client.$executeRawUnsafe('DROP TRIGGER hold ON orders');
  });

  t.test('a key that another process stores meanwhile has no second effect', async (t) => {
    const key = newKey();
    const before = await client.order.count();
    const { commit, over } = await uncommitted(client, (db) =>
      db.idempotencyKey.create({
        data: {
          ...{ callerId: admin.id, operation: 'createOrder', key, fingerprint: new Uint8Array(36) },
          expiresAt: new Date(Date.now() + moved + DAY),
        },
      }),
    );
    const asked = post(admin, ordersOf(admin), key, EUR);
    await someoneWaits(database);
    commit();
    await over;
    t.same(codeOf(await asked), [422, 'VALIDATION_FAILED']);
    t.equal(await client.order.count(), before);
  });

  t.test('a key that cannot be stored has no effect', async (t) => {
    await client.$executeRawUnsafe(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END $$`);
    await client.$executeRawUnsafe(`CREATE TRIGGER full_disk BEFORE INSERT ON idempotency_keys
      FOR EACH ROW EXECUTE FUNCTION full_disk()`);
    const id = await order();
    const before = [await client.user.count(), await client.order.count(), await client.payment.count()];
    for (const [path, body] of [
      [USERS, newUser()],
      [ordersOf(admin), EUR],
      [`${ORDERS}/${id}/payment`, {}],
    ] as const) {
      t.same(codeOf(await post(admin, path, newKey(), body)), [507, 'INSUFFICIENT_STORAGE'], path);
    }
    t.same([await client.user.count(), await client.order.count(), await client.payment.count()], before);
    t.equal((await rest('GET', `${ORDERS}/${id}`, { as: viewer })).body.status, 'pending');
    t.same(gateway.taken(id), [], 'nor was the gateway asked');
    await client.$executeRawUnsafe('DROP TRIGGER full_disk ON idempotency_keys');
  });

  t.test('deleting an account deletes its keys, and a late retry does not restore them', async (t) => {
    const key = newKey();
    const body = newUser();
    const created = await post(admin, USERS, key, body);
    await rest('DELETE', `${USERS}/${created.body.id}`, { as: admin });
    t.same(codeOf(await post(admin, USERS, key, body)), [409, 'CONFLICT']);
    t.equal(await client.user.count({ where: { email: body.email } }), 0);
    const { body: owner } = await post(admin, USERS, newKey(), newUser());
    const orderKey = newKey();
    t.equal((await post(admin, ordersOf(owner), orderKey, EUR)).status, 201);
    await rest('DELETE', `${USERS}/${owner.id}`, { as: admin });
    t.same(codeOf(await post(admin, ordersOf(owner), orderKey, EUR)), [409, 'CONFLICT']);
    const remembered = JSON.stringify(await client.idempotencyKey.findMany());
    t.notMatch(remembered, body.email, 'nothing personal is kept');
  });

  t.test('a request with an expired key fails like one with a new key', async (t) => {
    const key = newKey();
    const body = newUser();
    t.equal((await post(admin, USERS, key, body)).status, 201);
    await client.idempotencyKey.updateMany({ where: { key }, data: { expiresAt: new Date(0) } });
    t.same(codeOf(await post(admin, USERS, key, body)), [409, 'CONFLICT'], 'the address is taken');
    t.same(codeOf(await post(admin, USERS, newKey(), body)), [409, 'CONFLICT']);
  });

  t.test('a key expires after a day and is deleted', async (t) => {
    const key = newKey();
    const first = await post(await viewerNow(), ordersOf(viewer), key, EUR);
    moved += DAY - 1000;
    const repeated = await post(await viewerNow(), ordersOf(viewer), key, EUR);
    t.same(answerOf(repeated), answerOf(first), 'a second before');
    moved += 2000;
    const later = await viewerNow();
    const second = await post(later, ordersOf(viewer), key, EUR);
    t.equal(second.status, 201);
    t.not(second.body.id, first.body.id);
    await service.app.close();
    const sweeper = await startSweeper(() => Date.now() + moved);
    await eventually('only the new key is left', async () => (await client.idempotencyKey.count()) === 1);
    await sweeper();
  });
});
