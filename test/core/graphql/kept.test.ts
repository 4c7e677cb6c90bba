import t from 'tap';
import { policy } from '../../../generated/policy.js';
import { application } from '../../../src/application/application.js';
import { memoryDatabase } from '../../support/databases.js';
import type { Json, Person } from '../../support/people.js';
import { startInstance, startService } from '../../support/service.js';

/** Documents whose nested rows, members and roots depend on the caller in different ways. */
const ASKED = [
  '{ me { id posts { id comments { text author { name } } } } }',
  'query($id: ID!, $two: Int) { user(id: $id) { posts(limit: $two) { title comments(limit: 2) { id text } } } }',
  '{ users { name posts(limit: 3) { title author { id } } } }',
  '{ posts { id author { name posts { comments(offset: 1) { text } } } } }',
  'query($id: ID!) { post(id: $id) { comments { text } } users(limit: 2) { posts { title } } }',
  '{ usersConnection(first: 3) { edges { node { name posts { id } } } } }',
];

let comments = 0;
/** Returns another text of a document, for which nothing is kept. */
const anew = (document: string) => `${document} # ${++comments}`;

t.test('two callers have their own answers to one document, for each kind of reach', async (t) => {
  const database = await memoryDatabase(t);
  const { admin, viewer, person } = await startService(t, database);
  const other = await person('VIEWER');
  const people = [viewer, other, admin];
  for (const { id: authorId } of people)
    for (const n of [1, 2, 3]) {
      const { id: postId } = await database.client.post.create({ data: { authorId, title: `${n} of ${authorId}` } });
      for (const author of people)
        await database.client.comment.create({ data: { postId, authorId: author.id, text: `by ${author.id}` } });
    }
  const reaches = ['any any', 'own own', 'any own', 'own any', 'any none', 'none any'].map((both) => both.split(' '));
  for (const [posts, users] of reaches) {
    const rules = { ...policy, ...{ 'posts.read': { ...policy['posts.read'], VIEWER: posts } } };
    const changed = { ...application, policy: { ...rules, 'users.read': { ...policy['users.read'], VIEWER: users } } };
    const { graphql } = await startInstance(t, database, {}, { changed: changed as typeof application });
    const ask = async (asking: Person, query: string) => {
      const { data, errors } = await graphql(asking, query, { id: viewer.id, two: 2 });
      return JSON.stringify([
        data,
        errors.map(({ path, extensions }: Json) => [extensions.code, String(path).replaceAll(/\d+/g, '*')]).sort(),
      ]);
    };
    const orders = [
      [viewer, other, admin],
      [other, viewer],
      [admin, viewer],
    ];
    for (const document of ASKED)
      for (const order of orders) {
        const kept = anew(document);
        for (const asking of order) {
          const expected = await ask(asking, anew(document));
          for (let times = 0; times < 3; times++)
            t.equal(await ask(asking, kept), expected, `${posts}, ${users}: ${kept}`);
        }
      }
  }
});
