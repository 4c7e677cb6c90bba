import t from 'tap';
import { onEachDatabase } from '../../support/databases.js';
import { serve } from '../../support/own-application.js';
import { meetingsApplication, type Planned, UNANSWERABLE } from './meetings-fixture.js';

const MEETING: Planned = { title: 'Retrospective', startsAt: '2027-03-01T09:30:00.250Z' };
const KEY = (key: string) => ({ 'idempotency-key': key });

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { client } = database;
  const application = meetingsApplication();
  const { person, post, log } = await serve(t, database, application);
  const ada = await person('Ada');
  const count = () => client.post.count();
  const answerOf = ({ status, headers, bytes }: Awaited<ReturnType<typeof post>>) => ({
    status,
    bytes: bytes.toString('latin1'),
    headers: ['etag', 'location', 'content-type'].map((name) => headers.get(name)),
  });

  t.test('a repeated request gets the same status, headers and bytes', async (t) => {
    const first = await post(ada, '/api/v1/meetings', MEETING, KEY('one'));
    t.equal(first.status, 201);
    t.equal(first.headers.get('etag'), '"1803893400250"');
    t.match(JSON.parse(first.bytes.toString()), { startsAt: MEETING.startsAt, until: null });
    t.same(answerOf(await post(ada, '/api/v1/meetings', MEETING, KEY('one'))), answerOf(first));
    await client.post.updateMany({ data: { title: 'Another', createdAt: new Date() } });
    t.same(
      answerOf(await post(ada, '/api/v1/meetings', MEETING, KEY('one'))),
      answerOf(first),
      'though it has changed',
    );
    t.equal(await count(), 1);
    t.same(log, []);
  });

  t.test('a repeated request gets the same binary body', async (t) => {
    const first = await post(ada, '/api/v1/tickets', MEETING, KEY('ticket'));
    t.equal(first.status, 201);
    t.equal(first.bytes.length, 4);
    t.same(answerOf(await post(ada, '/api/v1/tickets', MEETING, KEY('ticket'))), answerOf(first));
  });

  t.test('a failed response rolls the operation back', async (t) => {
    const before = await count();
    const unanswerable = { ...MEETING, title: UNANSWERABLE };
    t.equal((await post(ada, '/api/v1/meetings', unanswerable, KEY('failed'))).status, 500);
    t.match(log.splice(0), [/There is no answer to this/]);
    t.equal(await count(), before);
    t.equal((await post(ada, '/api/v1/meetings', MEETING, KEY('failed'))).status, 201, 'and its key is free');
  });

  t.test('a continued operation has its response later, once', async (t) => {
    const before = await count();
    const ask = () => post(ada, '/api/v1/rooms', MEETING, KEY('room'));
    t.equal((await ask()).status, 504);
    t.equal((await ask()).status, 409, 'in flight');
    await application.booked();
    const answer = await ask();
    t.equal(answer.status, 201);
    t.match(JSON.parse(answer.bytes.toString()), { startsAt: MEETING.startsAt });
    t.same(answerOf(await ask()), answerOf(answer));
    t.equal(await count(), before + 1);
  });

  t.test('an abandoned operation leaves its key unused', async (t) => {
    const ask = () => post(ada, '/api/v1/rooms', MEETING, KEY('none'));
    t.equal((await ask()).status, 504);
    t.equal((await ask()).status, 409);
    await application.refused();
    const before = await count();
    t.equal((await ask()).status, 504, 'it is begun once more');
    t.equal(await count(), before + 1);
  });

  t.test('without a key, an operation runs and nothing is stored for a repetition', async (t) => {
    const keys = await client.idempotencyKey.count();
    t.equal((await post(ada, '/api/v1/rooms', MEETING)).status, 504);
    await application.booked();
    t.equal(await client.idempotencyKey.count(), keys);
  });
});
