import t from 'tap';
import { application } from '../../src/application/application.js';
import { testService } from '../../src/testing/index.js';
import { memoryDatabase } from '../support/databases.js';
import { ADD, SUBSCRIBE } from '../support/socket.js';

t.test('an active subscription returns its results one by one', async (t) => {
  const database = await memoryDatabase(t);
  const { seed } = application.demo ?? {};
  const people = { grace: 'DEVELOPER', alan: 'VIEWER' };
  const service = await testService(application, { people, database, seed });
  t.teardown(service.close);
  const { grace, alan } = service.people;
  t.ok((await service.rest('GET', '/users', { as: alan })).body.length > 3, 'in addition to the accounts of the seed');

  const say = (text: string) => service.graphql(grace, ADD, { channelId: 'here', text });
  const messages = service.subscribe(alan, SUBSCRIBE, { channelId: 'here' });
  await messages.waitUntilActive(() => say('are you there?'));
  await say('one');
  await say('two');
  const messageOf = (text: string) => messages.next(({ data }) => JSON.stringify(data).includes(`"${text}"`));
  t.match(await messageOf('one'), { data: { messageAdded: { text: 'one', author: { name: 'Grace' } } } });
  t.match(await messageOf('two'), { data: { messageAdded: { text: 'two' } } });
  messages.close();
  await t.rejects(messages.next(), { message: 'The subscription has ended.' });
});
