import t from 'tap';
import { demo } from '../../../src/application/seed.js';
import { memoryDatabase } from '../../support/databases.js';
import { PRODUCTION } from '../../support/production.js';
import { codeOf, startInstance, startService } from '../../support/service.js';

const HTML = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
/** What a browser sends with that, for whoever has followed a link or typed an address. */
const OPENED = { ...HTML, 'sec-fetch-dest': 'document' };

/**
 * Returns the declarations of rules with exactly this selector that apply to a window of this width, later ones first.
 * Reads rules and `@media (max-width: …px)` around them.
 */
function declared(css: string, selector: string, width: number): Record<string, string> {
  const plain = css.replaceAll(/\/\*.*?\*\//gs, '');
  const blocks = [...plain.matchAll(/@media \(max-width: ?(\d+)px\) ?\{((?:[^{}]*\{[^{}]*\})*)[^{}]*\}/g)];
  const always = blocks.reduce((rest, [block]) => rest.replace(block, ''), plain);
  const applied = blocks.filter(([, most]) => width <= Number(most)).map(([, , rules = '']) => rules);
  const found: Record<string, string> = {};
  for (const [, selectors = '', body = ''] of [always, ...applied].join('').matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
    if (!selectors.split(',').some((item) => item.trim() === selector)) continue;
    for (const [, name = '', value = ''] of body.matchAll(/([\w-]+):\s*([^;]+)/g)) found[name] = value.trim();
  }
  return found;
}

t.test('the pages are served with their files', async (t) => {
  const database = await memoryDatabase(t);
  await demo.seed(database.client);
  const { url, rest } = await startInstance(t, database);
  // Of the same address, where nobody's demo is.
  const production = await startService(t, await memoryDatabase(t), PRODUCTION);
  const page = async (path: string, base = url) => (await fetch(base + path, { headers: OPENED })).text();
  const session = async (cookie: string) => (await fetch(`${url}/docs/session`, { headers: { cookie } })).json();

  t.test('outside production each page has a login button for each demo account', async (t) => {
    for (const path of ['/docs', '/graphql', '/nowhere', '/api/v1/users']) {
      const html = await page(path);
      const buttons = [...html.matchAll(/<button type="button" data-email="([^"]+)"[^>]*>([^<]+)</g)];
      t.same(
        buttons.map(([, email, label]) => [email, label]),
        demo.people.map(({ name, role, email }) => [email, `${name} (${role})`]),
        path,
      );
      for (const [script] of html.matchAll(/<script[^>]*>/g)) t.match(script, / src="\//, 'none in the page');
    }
  });

  t.test('down to 360 pixels the bar wraps its links into rows, and is high enough for them', async (t) => {
    const html = await page('/nowhere');
    const [, links = ''] = /<span class="links">(.*?)<\/span>/s.exec(html) ?? [];
    t.ok((links.match(/<a /g) ?? []).length >= 4, html);
    const sheet = /<link rel="stylesheet" href="([^"]+)"/.exec(html)?.[1];
    const css = await (await fetch(new URL(sheet ?? '', url))).text();
    t.match(declared(css, 'nav.pages .links', 1280), { display: 'flex' });
    for (const width of [760, 500, 441, 440, 360]) {
      for (const selector of ['nav.pages', 'nav.pages .links', 'nav.pages a']) {
        const { display, visibility } = declared(css, selector, width);
        t.notOk(display === 'none' || visibility === 'hidden', `${selector} at ${width}`);
      }
      const bar = declared(css, 'nav.pages .links', width);
      t.match(bar, { flex: 'auto', 'flex-wrap': 'wrap', 'grid-column': '1 / -1' }, `${width}`);
      const pixels = (value = '') => Number(value.replace('px', ''));
      const rows = pixels(declared(css, ':root', width)['--links-height']) / pixels(bar['line-height']);
      t.ok(rows >= (width <= 440 ? 3 : 2), `${rows} rows at ${width}`);
    }
  });

  t.test('in production the pages have a login form', async (t) => {
    for (const path of ['/docs', '/nowhere']) {
      const html = await page(path, production.url);
      t.match(html, /<form><input type="email".*<input type="password"/);
      t.notMatch(html, 'data-email');
      t.notMatch(html, demo.people[0].password);
    }
  });

  t.test('a login button sets a cookie for REST and GraphQL', async (t) => {
    const [, login = '', logout = ''] = /data-login="([^"]+)" data-logout="([^"]+)"/.exec(await page('/docs')) ?? [];
    t.same([await session(''), await session('accord_access=none')], [null, null]);
    for (const { name, role, email, password } of demo.people) {
      const body = { email, password, flow: 'opaque', cookie: true };
      const answer = await rest('POST', login, { headers: { origin: url }, body });
      const cookie = /^accord_access=[^;]+/.exec(answer.headers.getSetCookie()[0] ?? '')?.[0] ?? '';
      const headers = { cookie, origin: url };
      t.match(await session(cookie), { name: new RegExp(`^${name} `), role, email });
      t.equal((await rest('GET', '/api/v1/users', { headers })).status, 200);
      const query = { query: '{ me { email } }' };
      const asked = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(query),
      });
      t.same(await asked.json(), { data: { me: { email } } });
      t.equal((await rest('POST', logout, { headers })).status, 204);
      t.equal(await session(cookie), null);
    }
    const basic = `Basic ${btoa(`${demo.people[0].email}:${demo.people[0].password}`)}`;
    const byHeader = await fetch(`${url}/docs/session`, { headers: { authorization: basic } });
    t.equal(await byHeader.json(), null, 'whose cookie it is, and nothing else');
  });

  t.test('a lost browser gets a page, other clients a problem document', async (t) => {
    for (const [path, status] of [
      ['/nowhere', 404],
      ['/api/v1/users', 401],
    ] as const) {
      const lost = await fetch(url + path, { headers: OPENED });
      t.same([lost.status, lost.headers.get('content-type')], [status, 'text/html; charset=utf-8']);
      t.match(lost.headers.get('content-security-policy'), "script-src 'self'");
      t.match(await lost.text(), `<h1>${status} `);
      // By Basic the browser would ask in a window of its own.
      t.equal(lost.headers.get('www-authenticate'), status === 401 ? 'Bearer realm="accord"' : null);
      const head = await fetch(url + path, { method: 'HEAD', headers: OPENED });
      t.same([head.status, head.headers.get('content-type')], [status, 'text/html; charset=utf-8']);
      for (const headers of [{}, HTML, { accept: 'application/json' }, { 'sec-fetch-dest': 'empty' }]) {
        const answer = await rest('GET', path, { headers });
        t.equal(answer.headers.get('content-type'), 'application/problem+json; charset=utf-8', JSON.stringify(headers));
        t.equal(answer.body.status, status);
      }
    }
    const posted = await rest('POST', '/nowhere', { headers: OPENED });
    t.same(codeOf(posted), [404, 'NOT_FOUND'], 'a form leads nowhere');
  });
});
