import t from 'tap';
import { onEachDatabase } from '../support/databases.js';
import { someoneWaits, waiting } from '../support/locks.js';
import { eventually } from '../support/process.js';
import { startService } from '../support/service.js';
import { ADD } from '../support/socket.js';
import { statementsOf } from '../support/statements.js';

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { client } = database;
  const { graphql, admin, developer, viewer } = await startService(t, database);
  const add = async (channelId: string, text: string, person = developer): Promise<string> =>
    (await graphql(person, ADD, { channelId, text })).data.addMessage.id;
  const texts = async (channelId: string, rest = '') =>
    (await graphql(viewer, `{ messages(channelId: "${channelId}"${rest}) { text } }`)).data.messages.map(
      ({ text }: { text: string }) => text,
    );
  const remove = (id: string) => `mutation { deleteMessage(id: "${id}") { success message } }`;

  t.test('a channel is read from its newest message backwards', async (t) => {
    const ids = [];
    for (const text of ['one', 'two', 'three', 'four']) ids.push(await add('reading', text));
    await add('elsewhere', 'other');
    t.same(await texts('reading'), ['one', 'two', 'three', 'four'], 'by ascending id');
    t.same(await texts('reading', ', limit: 2'), ['three', 'four'], 'the newest');
    t.same(await texts('reading', `, limit: 2, before: "${ids[2]}"`), ['one', 'two']);
    t.same(await texts('reading', ', before: "99999999999999999999"'), ['one', 'two', 'three', 'four']);
    t.same(await texts('reading', ', before: null, limit: null'), ['one', 'two', 'three', 'four']);
    t.same(await texts('nobody'), []);

    const { data } = await graphql(
      viewer,
      '{ messages(channelId: "reading", limit: 1) { id text channelId createdAt author { id name email } } }',
    );
    t.match(data.messages, [
      { id: ids[3], channelId: 'reading', author: { id: String(developer.id), name: 'Developer' } },
    ]);
    t.match(data.messages[0].createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  t.test('a page costs two reads for any number of authors', async (t) => {
    for (const person of [admin, developer]) for (let i = 0; i < 5; i++) await add('authors', 'x', person);
    const page = await statementsOf(() => graphql(viewer, '{ messages(channelId: "authors") { author { name } } }'));
    t.equal(page.result.data.messages.length, 10);
    t.match(page.statements, [/ FROM "public"."messages" /, / FROM "public"."users" /]);
    t.equal(page.statements.length, 2);
  });

  t.test('a bad message fails by its caller, then its role, then its content', async (t) => {
    const bad = { channelId: 'no spaces', text: '' };
    t.same((await graphql(null, ADD, bad)).codes, ['UNAUTHENTICATED']);
    t.same((await graphql(viewer, ADD, bad)).codes, ['FORBIDDEN'], '403 before 422');
    const { errors } = await graphql(developer, ADD, bad);
    t.match(errors, [{ extensions: { code: 'VALIDATION_FAILED' } }]);
    t.same(errors[0]?.extensions.errors?.map(({ pointer }) => pointer).sort(), ['/channelId', '/text']);
    for (const text of ['x'.repeat(2001), 'a\u0000b']) {
      t.same((await graphql(developer, ADD, { channelId: 'c', text })).codes, ['VALIDATION_FAILED']);
    }
    t.same((await graphql(developer, ADD, { channelId: 'c', text: '😀'.repeat(2000) })).codes, [], 'code points');
    for (const rest of ['limit: 0', 'limit: 101']) {
      t.same((await graphql(viewer, `{ messages(channelId: "c", ${rest}) { id } }`)).codes, ['VALIDATION_FAILED']);
    }
    for (const before of ['"x"', '0', '-1']) {
      const query = `{ messages(channelId: "c", before: ${before}) { id } }`;
      t.same((await graphql(viewer, query)).codes, ['BAD_REQUEST'], query);
    }
  });

  t.test('authors delete their own messages, administrators all', async (t) => {
    const mine = await add('deleting', 'mine');
    const another = await add('deleting', 'another’s', admin);
    t.same((await graphql(viewer, remove('2000000'))).codes, ['FORBIDDEN'], 'a viewer has none');
    t.same((await graphql(developer, remove(another))).codes, ['FORBIDDEN']);
    t.same((await graphql(developer, remove('2000000'))).codes, ['NOT_FOUND']);
    t.same((await graphql(developer, remove('99999999999999999999'))).codes, ['NOT_FOUND']);
    t.same((await graphql(developer, remove('x'))).codes, ['BAD_REQUEST']);
    t.match((await graphql(developer, remove(mine))).data, { deleteMessage: { success: true, message: String } });
    t.same((await graphql(developer, remove(mine))).codes, ['NOT_FOUND'], 'again');
    t.same(await texts('deleting'), ['another’s']);
    const again = await add('deleting', 'mine too');
    t.same((await graphql(admin, remove(again))).codes, []);
    t.equal(await client.tombstone.count({ where: { kind: 'MESSAGE', id: { in: [Number(mine), Number(again)] } } }), 2);
  });

  t.test('the ids of a channel follow the order of commits under concurrency', async (t) => {
    // The first to take an id is the last to commit, unless the lock of the channel keeps the others from taking one.
    await client.$executeRawUnsafe(`
      CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF NEW.text = 'slow' THEN PERFORM pg_advisory_xact_lock(7); END IF; RETURN NEW; END $$`);
    await client.$executeRawUnsafe(
      'CREATE TRIGGER dawdle AFTER INSERT ON messages FOR EACH ROW EXECUTE FUNCTION dawdle()',
    );
    const done: string[] = [];
    const write = (text: string) => add('order', text).then((id) => done.push(id));
    const writes: Promise<unknown>[] = [];
    await client.$transaction(async (db) => {
      await db.$executeRaw`SELECT pg_advisory_xact_lock(7)`;
      writes.push(write('slow'));
      await someoneWaits(database);
      writes.push(write('fast'));
      if (!database.url) return;
      await eventually('the other', async () => done.length > 0 || (await waiting(database)) === 2);
      // Afterwards both answers are on their way, in any order.
      t.same(done, [], 'the second write waits until the first has committed');
    });
    await Promise.all(writes);
    await client.$executeRawUnsafe('DROP FUNCTION dawdle CASCADE');
    t.equal(done.length, 2);
  });

  t.test('the messages of a deleted user are deleted, and none is added', async (t) => {
    const { id } = developer;
    const left = await add('leaving', 'left behind');
    t.same((await graphql(admin, `mutation { deleteUser(id: ${id}) { success } }`)).codes, []);
    t.same((await graphql(developer, ADD, { channelId: 'leaving', text: 'late' })).codes, ['UNAUTHENTICATED']);
    t.same(await texts('leaving'), []);
    t.ok(await client.tombstone.findUnique({ where: { kind_id: { kind: 'MESSAGE', id: Number(left) } } }));
  });
});
