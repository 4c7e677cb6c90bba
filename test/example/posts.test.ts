import t from 'tap';
import { onEachDatabase } from '../support/databases.js';
import { PASSWORD, type Person } from '../support/people.js';
import { startService } from '../support/service.js';

const MISSING = 2_000_000_000;

onEachDatabase(t, async (t, open) => {
  const { graphql, rest, database, admin, developer, viewer } = await startService(t, await open());
  const { client } = database;

  /** Another developer, who shares the token of nobody. */
  const other = await client.user.create({
    data: { name: 'Other', email: 'other@example.com', emailKey: 'other@example.com', role: 'DEVELOPER' },
  });
  const newPost = async (authorId = developer.id) =>
    (await client.post.create({ data: { authorId, title: 'Title', content: 'Content' } })).id;
  const newComment = async (postId: number, authorId = developer.id) =>
    (await client.comment.create({ data: { postId, authorId, text: 'Text' } })).id;
  const codes = async (person: Person | null, document: string, variables?: object) =>
    (await graphql(person, document, variables)).codes;

  const createPost =
    'mutation($title: String!, $content: String) { createPost(title: $title, content: $content) { id } }';
  const updatePost = `mutation($id: ID!, $title: String, $content: String) {
    updatePost(id: $id, title: $title, content: $content) { id title content author { id } }
  }`;
  const deletePost = 'mutation($id: ID!) { deletePost(id: $id) { success message } }';
  const addComment = 'mutation($id: ID!, $text: String!) { addComment(postId: $id, text: $text) { id } }';
  const updateComment = 'mutation($id: ID!, $text: String!) { updateComment(id: $id, text: $text) { id text } }';
  const deleteComment = 'mutation($id: ID!) { deleteComment(id: $id) { success message } }';

  t.test('posts and comments are created, read, updated and deleted', async (t) => {
    const made = await graphql(
      developer,
      `mutation {
        createPost(title: " A ", content: " B ") { id title content author { id name } comments { id } createdAt }
      }`,
    );
    const { id, createdAt, ...post } = made.data.createPost;
    t.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    t.strictSame(
      post,
      { title: ' A ', content: ' B ', author: { id: String(developer.id), name: 'Developer' }, comments: [] },
      'text is kept as given: only names are trimmed',
    );
    const said = await graphql(
      admin,
      'mutation($id: ID!) { addComment(postId: $id, text: " Well. ") { id text author { name } createdAt } }',
      { id },
    );
    t.match(said.data.addComment, { text: ' Well. ', author: { name: 'Admin' }, createdAt: /Z$/ });
    const read = await graphql(
      viewer,
      'query($id: ID!) { post(id: $id) { id title comments { id text author { id } } author { posts { id } } } }',
      { id },
    );
    t.strictSame(read.data.post, {
      id,
      title: ' A ',
      comments: [{ id: said.data.addComment.id, text: ' Well. ', author: { id: String(admin.id) } }],
      author: { posts: [{ id }] },
    });
    t.same((await graphql(developer, deletePost, { id })).data.deletePost, {
      success: true,
      message: 'The post " A " was deleted.',
    });
    t.same(await codes(viewer, '{ __typename a: post(id: 1) { id } }'), ['GONE']);
  });

  t.test('omitted members stay, and null removes a nullable member', async (t) => {
    const id = await newPost();
    const change = async (variables: object) =>
      (await graphql(developer, updatePost, { id, ...variables })).data.updatePost;
    t.match(await change({}), { title: 'Title', content: 'Content' }, 'nothing given, nothing changed');
    t.match(await change({ title: 'New' }), { title: 'New', content: 'Content' });
    t.match(await change({ content: 'Newer' }), { title: 'New', content: 'Newer' });
    t.match(await change({ content: '' }), { title: 'New', content: '' });
    t.match(await change({ content: null }), { title: 'New', content: null });
    const refused = await graphql(developer, updatePost, { id, title: null });
    t.match(refused.errors[0]?.extensions, { code: 'BAD_REQUEST', statusCode: 400, errors: [{ pointer: '/title' }] });
    t.match(await client.post.findUnique({ where: { id } }), { title: 'New', content: null }, 'and changed nothing');
    t.equal((await graphql(developer, createPost, { title: 'No content' })).errors.length, 0);
    t.equal((await graphql(developer, createPost, { title: 'No content', content: null })).errors.length, 0);
  });

  t.test('the role decides first, and ownership after the resource is loaded', async (t) => {
    const [mine, others] = [await newPost(), await newPost(other.id)];
    const [myComment, othersComment] = [await newComment(others), await newComment(mine, other.id)];
    const writes: [string, string, object, object][] = [
      ['updatePost', updatePost, { id: mine, title: 'T' }, { id: others, title: 'T' }],
      ['updateComment', updateComment, { id: myComment, text: 'T' }, { id: othersComment, text: 'T' }],
      ['deleteComment', deleteComment, { id: myComment }, { id: othersComment }],
      ['deletePost', deletePost, { id: mine }, { id: others }],
    ];
    const rows = async () => JSON.stringify([await client.post.findMany(), await client.comment.findMany()]);
    const before = await rows();
    for (const [name, document, own, foreign] of writes) {
      t.same(await codes(null, document, own), ['UNAUTHENTICATED'], `${name}: nobody`);
      t.same(await codes(viewer, document, own), ['FORBIDDEN'], `${name}: a viewer`);
      t.same(await codes(viewer, document, { ...own, id: MISSING }), ['FORBIDDEN'], `${name}: a viewer, of nothing`);
      t.same(await codes(developer, document, foreign), ['FORBIDDEN'], `${name}: another's`);
    }
    t.same(await codes(viewer, createPost, { title: 'T' }), ['FORBIDDEN']);
    t.same(await codes(null, createPost, { title: 'T' }), ['UNAUTHENTICATED']);
    t.same(await codes(viewer, addComment, { id: mine, text: 'T' }), ['FORBIDDEN']);
    t.equal(await rows(), before, 'a refusal changes nothing');
    for (const [name, document, own, foreign] of writes.filter(([name]) => name !== 'deletePost')) {
      t.same(await codes(developer, document, own), [], `${name}: one's own`);
      t.same(await codes(admin, document, foreign), [], `${name}: anyone's as an administrator`);
    }
    t.same(await codes(developer, deletePost, { id: mine }), []);
    t.same(await codes(admin, deletePost, { id: others }), []);
    t.same(await codes(developer, addComment, { id: await newPost(other.id), text: 'T' }), [], "on anyone's post");
  });

  t.test('a deleted post is GONE, an unknown one NOT_FOUND', async (t) => {
    const id = await newPost();
    const [single, along] = [await newComment(id), await newComment(id, other.id)];
    t.same(await codes(developer, deleteComment, { id: single }), []);
    t.same(await codes(developer, deletePost, { id }), []);
    const read = 'query($id: ID!) { post(id: $id) { id } }';
    const rows: [string, object, string, string][] = [
      [read, {}, 'GONE', 'NOT_FOUND'],
      [updatePost, { title: 'T' }, 'GONE', 'NOT_FOUND'],
      [addComment, { text: 'T' }, 'GONE', 'NOT_FOUND'],
      [deletePost, {}, 'NOT_FOUND', 'NOT_FOUND'],
    ];
    for (const [document, variables, gone, missing] of rows) {
      t.same(await codes(developer, document, { id, ...variables }), [gone], document);
      for (const never of [MISSING, '9'.repeat(30)])
        t.same(await codes(developer, document, { id: never, ...variables }), [missing], document);
      for (const wrong of ['0', '-1', '1.5', '01', 'x', ''])
        t.same(await codes(developer, document, { id: wrong, ...variables }), ['BAD_REQUEST'], `${document} ${wrong}`);
    }
    for (const gone of [single, along]) {
      t.same(await codes(admin, updateComment, { id: gone, text: 'T' }), ['GONE']);
      t.same(await codes(admin, deleteComment, { id: gone }), ['NOT_FOUND']);
    }
    t.same(await codes(admin, updateComment, { id: MISSING, text: 'T' }), ['NOT_FOUND']);
    t.same(await codes(admin, deleteComment, { id: MISSING }), ['NOT_FOUND']);
  });

  t.test('deleting a user deletes the posts and their comments', async (t) => {
    const author = await client.user.create({
      data: { name: 'Leaver', email: 'leaver@example.com', emailKey: 'leaver@example.com', role: 'DEVELOPER' },
    });
    const [post, elsewhere] = [await newPost(author.id), await newPost()];
    const [onIt, ofTheirs] = [await newComment(post), await newComment(elsewhere, author.id)];
    t.same(await codes(admin, 'mutation($id: ID!) { deleteUser(id: $id) { success } }', { id: author.id }), []);
    t.same(await codes(admin, updatePost, { id: post }), ['GONE']);
    for (const id of [onIt, ofTheirs]) t.same(await codes(admin, updateComment, { id, text: 'T' }), ['GONE']);
    t.same(await codes(admin, updatePost, { id: elsewhere }), []);
  });

  t.test('a deleted account cannot write with a cached token', async (t) => {
    const { passwordHash } = await client.user.findUniqueOrThrow({ where: { id: developer.id } });
    const email = 'ghost@example.com';
    const { id } = await client.user.create({
      data: { name: 'Ghost', email, emailKey: email, role: 'DEVELOPER', passwordHash },
    });
    const { body } = await rest('POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } });
    const ghost = { id, email, headers: { authorization: `Bearer ${body.access_token}` } };
    const post = await newPost();
    // Not by the service, which would tell every instance.
    await client.user.delete({ where: { id } });
    t.same(await codes(ghost, createPost, { title: 'Boo' }), ['UNAUTHENTICATED']);
    t.same(await codes(ghost, addComment, { id: post, text: 'Boo' }), ['UNAUTHENTICATED']);
  });

  t.test('content is checked after access and existence', async (t) => {
    const id = await newPost();
    const [title, text] = ['x'.repeat(201), ''];
    t.same(await codes(viewer, createPost, { title }), ['FORBIDDEN']);
    t.same(await codes(developer, updatePost, { id: MISSING, title }), ['NOT_FOUND']);
    t.same(await codes(developer, updatePost, { id: await newPost(other.id), title }), ['FORBIDDEN']);
    t.same(await codes(developer, addComment, { id: MISSING, text }), ['NOT_FOUND']);
    const pointers = async (document: string, variables: object) =>
      (await graphql(developer, document, variables)).errors.flatMap(({ extensions: { code, errors = [] } }) => [
        code,
        ...errors.map(({ pointer }) => pointer),
      ]);
    t.same(await pointers(createPost, { title: '', content: 'x'.repeat(20_001) }), [
      'VALIDATION_FAILED',
      '/title',
      '/content',
    ]);
    t.same(await pointers(updatePost, { id, title, content: 'a\u0000' }), ['VALIDATION_FAILED', '/title', '/content']);
    t.same(await pointers(addComment, { id, text }), ['VALIDATION_FAILED', '/text']);
    t.same(await pointers(updateComment, { id: await newComment(id), text: '🙂'.repeat(2001) }), [
      'VALIDATION_FAILED',
      '/text',
    ]);
    t.same(await pointers(addComment, { id, text: '🙂'.repeat(2000) }), []);
    t.same(await pointers(createPost, { title: '🙂'.repeat(200), content: '🙂'.repeat(15_000) }), []);
  });

  t.test('a comment that races the deletion of its post is stored with it or not at all', async (t) => {
    for (let round = 0; round < 10; round++) {
      const id = await newPost();
      const single = await newComment(id);
      const answers = await Promise.all([
        graphql(admin, addComment, { id, text: 'T' }),
        graphql(admin, deletePost, { id }),
        graphql(admin, deleteComment, { id: single }),
        graphql(admin, addComment, { id, text: 'T' }),
      ]);
      t.same(answers[1]?.codes, []);
      for (const { codes: found } of answers)
        t.notOk(
          found.some((code) => code !== 'GONE' && code !== 'NOT_FOUND'),
          found.join(),
        );
      const added = [answers[0], answers[3]].flatMap((answer) => answer?.data.addComment?.id ?? []);
      for (const comment of added) t.same(await codes(admin, updateComment, { id: comment, text: 'T' }), ['GONE']);
    }
  });

  t.test('a time of any year is answered, also in a relation', async (t) => {
    const id = await newPost(other.id);
    const times: [stored: string, answered: string][] = [
      ['0044-03-15 10:00:00+00 BC', '-000043-03-15T10:00:00.000Z'],
      ['12026-05-06 07:08:09.123+00', '+012026-05-06T07:08:09.123Z'],
      ['infinity', '+275760-09-13T00:00:00.000Z'],
      ['-infinity', '-271821-04-20T00:00:00.000Z'],
    ];
    for (const [stored, createdAt] of times) {
      await client.$executeRaw`UPDATE posts SET created_at = ${stored}::text::timestamptz WHERE id = ${id}`;
      const query =
        'query($id: ID!, $author: ID!) { post(id: $id) { createdAt } user(id: $author) { posts { createdAt } } }';
      const { data, codes: found } = await graphql(viewer, query, { id, author: other.id });
      t.same(found, []);
      t.same([data.post, data.user.posts.at(-1)], [{ createdAt }, { createdAt }]);
    }
  });
});
