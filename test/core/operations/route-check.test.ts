import { readFileSync } from 'node:fs';
import { parse, subscribe } from 'graphql';
import t, { type Test } from 'tap';
import { dataModel } from '../../../generated/prisma/data-model.js';
import { executableSchema } from '../../../src/platform/core/graphql/schema.js';
import { modelProblems, routeProblems } from '../../../src/platform/core/operations/check.js';
import type { Model } from '../../../src/platform/core/operations/model.js';
import { declaredModels } from '../../../src/platform/core/operations/model-data.js';
import type { Target } from '../../../src/platform/core/operations/route.js';
import { create, list, model, notWritten, record, routeFor, stream, User } from '../../../src/platform/index.js';
import { schemaServices } from '../../support/schema-services.js';

const policy = {
  'posts.read': { VIEWER: 'any', ADMIN: 'any' },
  'posts.write': { VIEWER: 'own', ADMIN: 'any' },
  'posts.add': { VIEWER: 'own', ADMIN: 'own' },
} as const;
const Post = model('Post', { read: 'posts.read', owner: (caller) => ({ authorId: caller.id }) });
const Comment = model('Comment', { read: 'posts.read' });
const Message = model('Message', { read: 'posts.read', stream: { key: 'channelId' } });
const models = declaredModels([User, Post, Comment, Message], dataModel);
const route = routeFor<object>();

/** Returns the problems without their places in this file. */
function sentences(t: Test, problems: readonly string[]) {
  return problems.map((problem) => {
    const [place = '', sentence] = problem.split(/(?<=:\d+:\d+): /);
    t.match(place, /^test\/core\/operations\/route-check\.test\.ts:\d+:\d+$/);
    return sentence;
  });
}

t.test('a model with an unknown action, and a model that is listed twice, are rejected', async (t) => {
  const misspelt = model('Message', { read: 'messages.raed', protect: { text: 'messages.edit' } });
  t.same(sentences(t, modelProblems(policy, [User, Post, misspelt])), [
    "model('Message'): `read` names the action messages.raed, which no contract states. Correct the name, or state the action with x-permission or @permission.",
    "model('Message'): `protect.text` names the action messages.edit, which no contract states. Correct the name, or state the action with x-permission or @permission.",
  ]);
  const lines = readFileSync('test/core/operations/route-check.test.ts', 'utf8').split('\n');
  const row = lines.findIndex((line) => line.includes('const misspelt = model('));
  const place = `test/core/operations/route-check.test.ts:${row + 1}:${(lines[row] as string).indexOf('model(') + 1}: `;
  for (const problem of modelProblems(policy, [User, Post, misspelt])) t.ok(problem.startsWith(place), problem);
  t.throws(() => declaredModels([User, Post, Post], dataModel), {
    message: /model\('Post'\) is declared twice: remove one from `models`\./,
  });
});

t.test('a target with an unknown name is rejected with the operation and the remedy', async (t) => {
  const problems = (target: Target, action = 'posts.read', parameters = ['user_id', 'post_id']) =>
    sentences(
      t,
      routeProblems(policy, models, [
        { operation: 'getPost', action, parameters, route: route({ target, handler: async () => undefined }) },
      ]),
    );
  t.same(problems(record(Post, 'post_id', { of: record(User, 'user_id') })), []);
  t.same(problems(record(Post, 'id')), [
    'getPost: the target names `id`, and the operation has no such parameter (user_id, post_id).',
  ]);
  t.same(problems(create(Comment, { on: record(Post, 'postId') }), 'posts.read', []), [
    'getPost: the target names `postId`, and the operation has no such parameter (none).',
  ]);
  t.same(problems(list(User, { of: record(Post, 'post_id') })), [
    'getPost: User must refer to Post by exactly one relation.',
  ]);
  t.same(problems(stream(Message)), [
    'getPost: the target names `channelId`, and the operation has no such parameter (user_id, post_id).',
  ]);
  t.same(problems(stream(Post)), ["getPost: declare `stream` in model('Post')."]);
  t.same(problems(record(model('Order', { read: 'posts.read' }), 'post_id')), [
    'getPost: add Order to the `models` of the application.',
  ]);
  const Payment = model('Payment', { read: 'posts.read' });
  const withPayments = declaredModels([User, Payment], dataModel);
  const target = record(Payment, 'id');
  t.same(
    sentences(
      t,
      routeProblems(policy, withPayments, [
        { operation: 'pay', action: 'posts.read', parameters: ['id'], route: route({ target }) },
      ]),
    ),
    ['pay: the target names a row of Payment: give the model an `id Int @id`.'],
  );
  t.same(problems(record(Comment, 'post_id'), 'posts.write'), [
    "getPost: posts.write reaches `own`, but model('Comment') has no `owner`.",
  ]);
  t.same(problems(create(Post), 'posts.add', []), [], 'everybody creates for themselves');
  t.same(problems(create(Post), 'posts.write', []), [
    'getPost: posts.write reaches `own`, but the target does not name a stored row.',
  ]);
});

t.test('a subscription without a handler is reported as not implemented', async (t) => {
  const typeDefs = `directive @permission(action: String!) on FIELD_DEFINITION
type Query { any: ID @permission(action: "posts.read") }
type Subscription { added: ID @permission(action: "posts.read") }
`;
  const schema = executableSchema(
    typeDefs,
    { Query: { any: notWritten }, Subscription: { added: notWritten } },
    { policy, services: schemaServices([User, Post, Comment, Message]) },
  );
  const answer = await subscribe({ schema, document: parse('subscription { added }'), contextValue: {} });
  t.match(answer, { errors: [{ originalError: { code: 'NOT_IMPLEMENTED' } }] });
});

t.test('the arguments of a root field are the keys of its route, including arguments of extensions', async (t) => {
  const typeDefs = `directive @permission(action: String!) on FIELD_DEFINITION
type Post { id: ID! }
type Query { any: ID @permission(action: "posts.read") }
extend type Query { post(id: ID!): Post @permission(action: "posts.read") }
`;
  const schemaWith = (key: string, all: readonly Model[] = [User, Post]) =>
    executableSchema(
      typeDefs,
      { Query: { any: notWritten, post: route({ target: record(Post, key) }) } },
      { policy, services: schemaServices(all) },
    );
  t.ok(schemaWith('id'));
  t.throws(() => schemaWith('post_id'), {
    message: /Query\.post: the target names `post_id`, and the operation has no such parameter \(id\)/,
  });
});
