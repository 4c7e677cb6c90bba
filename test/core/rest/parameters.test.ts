import t from 'tap';
import { memoryDatabase } from '../../support/databases.js';
import { serve } from '../../support/own-application.js';
import type { Json } from '../../support/people.js';
import { parametersApplication, UNREAD, unreadContract } from './parameters-fixture.js';

t.test('a parameter is read by its declared type and style', async (t) => {
  const database = await memoryDatabase(t);
  const { url, person } = await serve(t, database, parametersApplication);
  const ada = await person('Ada');

  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/api/v1/things${path}`, { headers: { ...ada.headers, ...headers } });
    const body = (await response.json()) as Json;
    const issues = (body.errors ?? []).map(({ parameter, detail }: Json) => `${parameter} ${detail}`);
    return { status: response.status, body, told: [response.status, ...issues] };
  };
  const asked = async (search: string) => {
    const { status, body, told } = await ask(`?${search}`);
    return status === 200 ? body.query : told;
  };

  t.test('scalars', async (t) => {
    t.same(await asked('yes=true&much=1.5e1&many=7&amount=5&level=2&anything=1'), {
      yes: true,
      much: 15,
      many: 7,
      amount: 5,
      level: 2,
      anything: '1',
    });
    t.same(await asked('yes=false&much=-1.5'), { yes: false, much: -1.5 });
    t.same(await asked('yes=1'), [400, 'yes must be true or false']);
    t.same(await asked('yes='), [400, 'yes must be true or false']);
    t.same(await asked('yes=TRUE&much=1,5'), [400, 'yes must be true or false', 'much must be a number']);
    await t.test('numbers, integers and enumerations', async (t) => {
      for (const text of ['0x10', '+1', '01', '.5', '1.', 'NaN', 'Infinity', ' 1', ''])
        t.same(await asked(`much=${encodeURIComponent(text)}`), [400, 'much must be a number'], text);
      t.same(await asked('much=100'), [422, 'much must be at least -1.5 and less than 100']);
      t.same((await asked('much=1e999'))[0], 422, 'beyond the range of numbers');
      t.same(await asked('many=1.5'), [400, 'many must be an integer']);
      t.same(await asked('many=null'), [400, 'many must be an integer'], 'what is null is left out');
      t.same(await asked('many=11'), [422, 'many must be at most 10']);
      t.same(await asked('amount=4'), [422, 'amount must be at least 5']);
      t.same(await asked('level=3'), [422, 'level must be one of 1, 2']);
      t.same(await asked('level=a'), [400, 'level must be an integer']);
      t.same(await asked('yes=true&yes=false'), [400, 'yes is given more than once. Give it once.'], 'given twice');
      t.same(await asked('unknown=1'), [
        400,
        'unknown is unknown. Known here: `yes`, `much`, `many`, `amount`, `either`, `level`, `anything`, `ids` and others.',
      ]);
      for (const [text, value] of Object.entries({ 5: 5, true: true, all: 'all' }))
        t.same(await asked(`either=${text}`), { either: value });
      t.equal((await asked('either=some'))[0], 422);
    });
  });

  t.test('lists', async (t) => {
    t.same(await asked('ids=1&ids=2'), { ids: [1, 2] }, 'a key for each item');
    t.same(await asked('ids=1'), { ids: [1] }, 'one item');
    t.same(
      await asked('ids=1&ids=9007199254740993'),
      [422, 'ids must be within ±9007199254740991'],
      'not its neighbour',
    );
    t.same(await asked('ids=1&ids=x'), [400, 'ids /1 must be an integer']);
    t.same(await asked('ids=1,2'), [400, 'ids /0 must be an integer'], 'another style');
    t.same(await asked('ids=1&ids=2&ids=3&ids=4'), [422, 'ids must have 1 to 3 items; it has 4']);
    t.same(await asked('tags=a%2Cb&tags='), { tags: ['a,b', ''] });
    t.same(await asked('states=open'), { states: ['open'] });
    t.same(await asked('states=open&states=lost'), [422, 'states /1 must be one of open, closed']);
    await t.test('lists separated by commas', async (t) => {
      t.same(await asked('commas=1,2'), { commas: [1, 2] });
      t.same(await asked('commas=1%2C2'), { commas: [1, 2] }, 'a number holds no comma');
      t.same(await asked('commas=3'), { commas: [3] });
      t.same(await asked('commas='), { commas: [] });
      t.same(await asked('commas=1,,2'), [400, 'commas /1 must be an integer']);
      t.same(await asked('commas=1&commas=2'), [400, 'commas is given more than once. Give it once.']);
      t.same(
        await asked('n%61mes=a%2Cb,c+d,%zz'),
        { names: ['a,b', 'c d', '%zz'] },
        'an escaped comma separates nothing',
      );
      const unstorable = 'must not contain U+0000 or lone surrogates';
      t.same(await asked('names=a,%00'), [422, `names /1 ${unstorable}`]);
      t.same(await asked('flags=true,false'), { flags: [true, false] });
      t.same(await asked('flags=true|false'), [400, 'flags /0 must be true or false']);
    });
  });

  t.test('JSON', async (t) => {
    t.same(await asked(`place=${encodeURIComponent('{"at":1}')}`), { place: { at: 1 } });
    t.same(await asked('place={"at":0}'), [422, 'place /at must be at least 1']);
    t.same(await asked('place={"at":"1"}'), [400, 'place /at must be an integer, not a string']);
    t.same(await asked('place={}'), [400, 'place /at is missing. Required here: `at`.']);
    t.same(await asked('place={'), [
      400,
      'place is not valid JSON. At line 1, column 2: expected a member name in double quotes or }, but the text ends.',
    ]);
    t.same(await asked('place={"at":1,"at":2}'), [400, 'place /at is given more than once. Give it once.']);
    t.same(await asked('place=1e400'), [400, 'place must be within ±1.7976931348623157e+308']);
    t.same(await asked('place={"at":1}&place={"at":1}'), [400, 'place is given more than once. Give it once.']);
  });

  t.test('a list without duplicates, at a cost that grows with its length', async (t) => {
    const send = async (items: unknown[]) => {
      const headers = { ...ada.headers, 'content-type': 'application/json' };
      const response = await fetch(`${url}/api/v1/distinct`, { method: 'POST', headers, body: JSON.stringify(items) });
      return [response.status, ((await response.json()) as Json).errors?.[0]?.detail];
    };
    t.same(await send([1, '1', [1], { a: 1, b: 2 }, { a: 1 }, null]), [200, undefined]);
    for (const items of [
      [1, 1.0],
      ['a', 'a'],
      [null, null],
      [
        { a: 1, b: [{ c: 1, d: 2 }] },
        { b: [{ d: 2, c: 1 }], a: 1 },
      ],
    ])
      t.same(await send(items), [422, 'must not contain the same item twice']);
    const many = Array.from({ length: 7500 }, (_, at) => [at.toString(36)]);
    const before = process.cpuUsage();
    t.same(await send(many), [200, undefined]);
    const { user } = process.cpuUsage(before);
    t.ok(user < 250_000, `${user} microseconds`);
  });

  t.test('headers and cookies', async (t) => {
    const sent = { 'x-exact': 'false', 'x-weight': '1.5', cookie: 'seen=true; last=1,2; plain=1; other=x' };
    const { body } = await ask('', sent);
    t.same(body.headers, { 'x-exact': false, 'x-weight': 1.5 });
    t.match(body.cookies, { seen: true, last: [1, 2], plain: '1', other: 'x' });
    t.same((await ask('', { 'x-note': '{"a":"\\u0000"}' })).told, [
      422,
      'x-note /a must not contain U+0000 or lone surrogates',
    ]);
    t.same((await ask('', { 'x-exact': 'no' })).told, [400, 'x-exact must be true or false']);
    t.same((await ask('', { 'x-weight': '1, 2' })).told, [400, 'x-weight must be a number']);
    t.same((await ask('', { cookie: 'seen=1' })).told, [400, 'seen must be true or false']);
    t.same((await ask('', { cookie: 'words=a,b; other=%00' })).body.cookies?.words, ['a', 'b'], 'not our cookie');
    t.equal((await ask('', { cookie: 'words=a,%00' })).status, 422);
    t.same((await ask('', { cookie: 'last=1,2,3' })).told, [422, 'last must have at most 2 items; it has 3']);
    const all = await ask('?yes=1', { 'x-exact': 'no', cookie: 'seen=1' });
    t.equal(all.told.length, 4, 'all places are told at once');
  });

  t.test('path parameters', async (t) => {
    const { body } = await ask('/1.5/of/a%2Cb,c/open');
    t.same(body.path, { number: 1.5, name: 'a,b,c', state: 'open' });
    t.same((await ask('/1/of/a%00,b/open')).told, [422, 'name must not contain U+0000 or lone surrogates']);
    t.same((await ask('/x/of/a/open')).told, [400, 'number must be a number']);
    t.same((await ask('/11/of/a/lost')).told, [422, 'number must be at most 10', 'state must be one of open, closed']);
    t.equal((await fetch(`${url}/api/v1/things/1/of/a/open?yes=x`)).status, 400, 'before who calls is asked');
  });

  t.test('an unsupported parameter prevents the start', async (t) => {
    for (const parameter of UNREAD) {
      const started = serve(t, database, { openapi: unreadContract(parameter), handlers: { parameters: {} } });
      await t.rejects(started, { message: parameter[2] }, `${parameter[0]} ${JSON.stringify(parameter[1])}`);
    }
  });
});
