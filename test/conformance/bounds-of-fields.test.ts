import { buildSchema } from 'graphql';
import t, { type Test } from 'tap';
import { graphqlObserver } from '../../src/testing/coverage/graphql.js';
import { type ConformanceOptions, everyBound, everyField } from '../../src/testing/index.js';
import { memoryDatabase } from '../support/databases.js';
import { applicationOf, contractsOf, DIRECTIVES, type Own } from '../support/own-application.js';
import { finds } from './finds-fixture.js';

const optionsOf = async (t: Test, own: Own): Promise<ConformanceOptions> => ({
  contracts: await contractsOf(own),
  open: () => memoryDatabase(t),
});

t.test('bounds of fields of an interface and a union are tested on objects of their type', async (t) => {
  const taken = new Set<string>();
  const asked = new Set<string>();
  const own = finds(
    (field, args) => taken.add([field, ...Object.values(args)].join(' ')),
    // The kit numbers the texts of the whole process.
    (variables) =>
      asked.add(
        Object.entries(variables)
          .flat()
          .join(' ')
          .replace(/^(name2 Text) \d+$/, '$1 1'),
      ),
  );
  await everyBound(t, applicationOf(own), await optionsOf(t, own));
  t.same([...asked].sort(), [
    ...['most1 10', 'most1 9', 'most2 10', 'most2 9'],
    // The selection includes a coin, which no query returns.
    ...['name2 Text ', 'name2 Text 1'],
    // The field has another required argument.
    ...['number1 0 mark1 1', 'number1 1 mark1 1', 'number1 1 mark1 Text', 'number1 1 mark1 Text '],
    // `work` returns no chart, so the kit uses `shelf`.
    ...['unit1 Tex', 'unit1 Text', 'unit2 Tex', 'unit2 Text'],
  ]);
  // A value beyond a bound is rejected before the resolver runs.
  const within = ['Book.page 1 1', 'Book.page 1 Text', 'Book.title 9', 'Chart.scale Tex', 'Chart.title 9'];
  t.same([...taken].sort(), within);
});

t.test('all fields of the members of an interface and a union are selected', async (t) => {
  const taken = new Set<string>();
  const own = finds((field) => taken.add(field));
  await everyField(t, applicationOf(own), await optionsOf(t, own));
  t.same([...taken].sort(), ['Book.title', 'Chart.scale', 'Chart.title']);
});

t.test('an argument of an implementation also covers the argument of the interface', (t) => {
  const observe = graphqlObserver(buildSchema(DIRECTIVES + finds(() => {}).sdl));
  const shown = (query: string, data: object, ...path: (string | number)[]) => {
    const errors = [{ path, extensions: { errors: [{ pointer: '/most', detail: 'must be <= 9' }] } }];
    const seen = observe({ query }, { data, ...(path.length > 0 && { errors }) });
    return [...seen].filter((key) => /\(/.test(key)).sort();
  };
  const asked = (most: number) => `{ work { __typename title(most: ${most}) } }`;
  t.same(shown(asked(9), { work: { __typename: 'Book', title: 'A' } }), [
    ...['Book.title(most)', 'Book.title(most) at max 9', 'Work.title(most)', 'Work.title(most) at max 9'],
  ]);
  const onChart = '{ shelf { finds { __typename ... on Chart { title(most: 10) } } } }';
  const onEach = '{ shelf { finds { __typename ... on Book { title(most: 10) } ... on Chart { title(most: 10) } } } }';
  const ofChart = ['Chart.title(most) beyond max 9', 'Work.title(most) beyond max 9'];
  const finding = { shelf: { finds: [{ __typename: 'Book' }, { __typename: 'Chart', title: null }] } };
  t.same(shown(onEach, finding, 'shelf', 'finds', 1, 'title'), ofChart, 'it was the Chart that refused');
  t.same(shown(onChart, finding, 'shelf', 'finds', 1, 'title'), ofChart);
  t.same(shown(onChart, { shelf: null }, 'shelf', 'finds', 1, 'title'), ofChart, 'only a Chart was asked');
  t.same(shown(asked(10), { work: null }, 'work', 'title'), ['Work.title(most) beyond max 9'], 'whichever it was');
  t.end();
});
