import { execute, type GraphQLSchema, getOperationAST, type OperationDefinitionNode, parse } from 'graphql';
import t from 'tap';
import { NO_ISSUES, notWritten } from '../../../src/platform/core/calls/errors.js';
import { type GraphQLContext, operationContext } from '../../../src/platform/core/graphql/context.js';
import { measure } from '../../../src/platform/core/graphql/cost.js';
import { isIntrospection } from '../../../src/platform/core/graphql/operation-check.js';
import { executableSchema } from '../../../src/platform/core/graphql/schema.js';
import { type Entry, StreamSource } from '../../../src/platform/parts/live/streams.js';
import { subscriptions } from '../../../src/platform/parts/live/subscriptions.js';
import { schemaServices } from '../../support/schema-services.js';

const SDL = `
  directive @permission(action: String) on FIELD_DEFINITION
  directive @constraint(max: Int) on ARGUMENT_DEFINITION
  type Item { id: Int  parts(limit: Int = 2 @constraint(max: 3)): [Item!]  label: String }
  type Query { items: [Item!] @permission(action: "all") }
`;

const ITEMS = { Query: { items: notWritten } };
const NOTHING = { policy: {}, services: schemaServices([]) };

/** A list whose items have parts that are read in batches, and what was seen of it. */
function served() {
  const seen = { contexts: new Set<GraphQLContext>(), checkpoints: 0, reads: [] as (readonly number[])[] };
  const schema = executableSchema(
    SDL,
    {
      ...ITEMS,
      Item: {
        parts: ({ id }: { id: number }, _args: object, context: GraphQLContext) => {
          seen.contexts.add(context);
          return context.batch(context.call, 'parts', id, async (_call, ids) => {
            seen.reads.push(ids);
            return new Map(ids.map((id) => [id, [{ id: 10 * id }]]));
          });
        },
      },
    },
    NOTHING,
  );
  // A function here, because a route would need a database.
  Object.assign(schema.getQueryType()?.getFields()['items'] ?? {}, {
    resolve: () => [{ id: 1 }, { id: 2 }, { id: 3 }],
  });
  const callWith = ((issues = NO_ISSUES) => ({
    enforce: async () => {
      seen.checkpoints++;
      if (issues.issues.length > 0) throw new Error('at fault');
    },
  })) as unknown as GraphQLContext['callWith'];
  const contextValue = operationContext({ handlers: {}, operations: {} as never }, callWith);
  const run = async (text: string, variableValues: Record<string, unknown> = {}) =>
    execute({ schema, document: parse(text), contextValue, variableValues });
  return { seen, contextValue, run };
}

for (const [said, query, variables] of [
  ['in the document', '{ items { parts(limit: 1) { id } } }', {}],
  ['by a variable', 'query($n: Int) { items { parts(limit: $n) { id } } }', { n: 1 }],
] as const) {
  t.test(`a relation of many parents with arguments ${said} is one read and one check`, async (t) => {
    const { seen, contextValue, run } = served();
    const { data, errors } = await run(query, variables);
    t.same([errors, data], [undefined, { items: [10, 20, 30].map((id) => ({ parts: [{ id }] })) }]);
    t.same([seen.reads, seen.checkpoints], [[[1, 2, 3]], 1]);
    t.strictSame([...seen.contexts], [contextValue], 'the context of the operation is not copied');
  });
}

t.test('wrong arguments are refused for each parent, and other fields are read', async (t) => {
  const { seen, run } = served();
  for (let times = 1; times <= 2; times++) {
    const { data, errors } = await run('{ items { good: parts(limit: 3) { id } bad: parts(limit: 4) { id } } }');
    t.same(data, { items: [10, 20, 30].map((id) => ({ good: [{ id }], bad: null })) }, 'what is right is answered');
    t.equal(errors?.length, 3);
    t.equal(seen.reads.length, times);
  }
});

t.test('each value of a variable is checked', async (t) => {
  const { run } = served();
  const document = 'query($n: Int) { items { parts(limit: $n) { id } } }';
  const failures: (number | undefined)[] = [];
  for (const n of [3, 4, 3]) failures.push((await run(document, { n })).errors?.length);
  t.same(failures, [undefined, 3, undefined]);
});

/** The schema, and how often a type was looked up in it by its name. */
function counted(schema: GraphQLSchema) {
  const looks = { count: 0 };
  const getType = schema.getType.bind(schema);
  schema.getType = (name) => {
    looks.count++;
    return getType(name);
  };
  return looks;
}

t.test('a document is measured once for equal values of its variables', async (t) => {
  const schema = executableSchema(SDL, ITEMS, NOTHING);
  const looks = counted(schema);
  const text = 'query($n: Int, $text: String) { items { parts(limit: $n) { id parts(limit: 1) { id label } } } }';
  const document = parse(text);
  const operation = getOperationAST(document) as OperationDefinitionNode;
  const walked = (variables: Record<string, unknown>) => {
    const before = looks.count;
    const measured = measure(schema, document, operation, variables);
    return { measured, walked: looks.count > before };
  };
  const [two, three] = [
    { depth: 4, cost: 1 + 20 * (1 + 2 * (2 + 2)) },
    { depth: 4, cost: 1 + 20 * (1 + 3 * (2 + 2)) },
  ];
  t.same(walked({}), { measured: two, walked: true });
  t.same(walked({}), { measured: two, walked: false });
  t.same(walked({ text: 'of no list' }), { measured: two, walked: false });
  t.same(walked({ n: 3 }), { measured: three, walked: true });
  t.same(walked({ n: 3 }), { measured: three, walked: false });
  t.same(walked({}), { measured: two, walked: true });
  const odd = { n: [3] };
  t.same([walked(odd).walked, walked(odd).walked], [true, true], 'what is refused is not kept');
});

t.test('introspection documents are recognized once', async (t) => {
  const document = parse('{ __typename }');
  let looks = 0;
  const { definitions } = document;
  const watched = {
    ...document,
    get definitions() {
      looks++;
      return definitions;
    },
  };
  const first = isIntrospection(watched);
  const looksAtFirst = looks;
  t.same([first, isIntrospection(watched), looks], [true, true, looksAtFirst]);
});

t.test('an event is executed and encoded once for equal selections', async (t) => {
  let tell = (_head: number): void => {};
  let executions = 0;
  const entries: Entry[] = [{ id: 1 }];
  const reader = {
    name: 'entries',
    after: async (_key: string, id: number) => entries.filter((entry) => entry.id > id),
    head: async () => 0,
    lastGiven: async () => 0,
    watch: (_key: string, onNews: (head: number) => void) => {
      tell = onNews;
      return () => {};
    },
  };
  const engine = {
    inTurn: <T>(_execution: object, work: () => Promise<T>) => work(),
    executeSubscriptionEvent: async (_execution: object, event: unknown) => {
      executions++;
      return { data: { entry: (event as Entry).id } };
    },
  };
  const live = subscriptions({ engine, format: {} as never, log: {} as never });
  const source = new StreamSource(reader, 'key', undefined, false);
  const selection = {
    source,
    key: 'selection',
    prepared: {} as never,
    context: () => ({}) as GraphQLContext,
    errors: { log: {} as never, address: '' },
  };
  const sent: Buffer[] = [];
  const follow = () =>
    new Promise<void>((resolve) => {
      const send = (rendered: Buffer) => {
        sent.push(rendered);
        resolve();
      };
      const drained = async () => {};
      const schedule = (page: () => Promise<void>) => page();
      const { started } = live.open(selection, { send, isDrained: () => true, drained, schedule, turn: drained });
      void started.then(() => setImmediate(() => tell(1)));
    });
  await Promise.all([follow(), follow(), follow()]);
  t.equal(executions, 1);
  t.same(sent.map(String), Array(3).fill('{"data":{"entry":1}}'));
  t.equal(new Set(sent).size, 1, 'the same bytes');
});
