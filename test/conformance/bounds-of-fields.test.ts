import t, { type Test } from 'tap';
import { rootPath } from '../../src/platform/root.js';
import { observationsOf } from '../../src/testing/coverage/elements.js';
import { type ConformanceOptions, everyBound, everyField } from '../../src/testing/index.js';
import { memoryDatabase } from '../support/databases.js';
import { applicationOf, contractsOf, type Own } from '../support/own-application.js';
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

t.test('the shown sides of each bound are recorded, those of an implementation for its interface too', async (t) => {
  const own = finds(() => {});
  const observations = observationsOf(rootPath());
  await everyBound(t, applicationOf(own), { ...(await optionsOf(t, own)), coverage: true });
  const shown = ['Book.page(mark)', 'Book.page(number)', 'Book.title(most)', 'Chart.scale(unit)', 'Work.title(most)'];
  const recorded = [...observations.keys()].filter((key) => / (at|beyond) (min|max)/.test(key));
  t.same([...new Set(recorded.map((key) => key.split(' ')[0]))].sort(), [...shown, 'Chart.title(most)'].sort());
  t.equal(recorded.length, 2 * (shown.length + 1));
  // The contract of the project does not have them.
  for (const key of recorded) observations.delete(key);
});
