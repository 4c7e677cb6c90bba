import t from 'tap';
import { BOUNDS } from '../../../src/platform/core/bounds.js';
import { outsideService } from '../../../src/platform/core/calls/outside.js';
import { sourcesIn } from '../../support/imports.js';
import { flood, serve } from '../../support/outside.js';

const LIMIT = BOUNDS.outsideResponse.value;

t.test('an answer that is too large counts as a fault of the service', async (t) => {
  let requests = 0;
  const url = await serve(t, (_request, response) => {
    requests += 1;
    flood(response, () => {});
  });
  const states: string[] = [];
  const dependency = { away: () => void states.push('away'), back: () => void states.push('back') };
  const { call } = outsideService('Service', dependency as never);
  const ask = () => call((_signal, fetch) => fetch(url)).catch(({ name }: Error) => name);
  const codes = [];
  for (let i = 0; i < 6; i++) codes.push(await ask());
  t.same(
    codes.slice(0, 5),
    Array.from({ length: 5 }, () => 'AnswerTooLarge'),
  );
  t.equal(requests, 5, 'then the circuit breaker is open');
  t.same(new Set(states), new Set(['away']));
});

t.test('an answer up to the bound is whole', async (t) => {
  const url = await serve(t, (_request, response) => response.end(Buffer.alloc(LIMIT)));
  const { call } = outsideService('Service', { away() {}, back() {} } as never);
  const { status, bytes } = await call((_signal, fetch) => fetch(url));
  t.same([status, bytes.length], [200, LIMIT]);
});

t.test('only the client of external services fetches', async (t) => {
  const sources = Object.entries(sourcesIn('src')).filter(([path]) => /^(platform|application)\/.*\.ts$/.test(path));
  const fetching = sources.filter(([, text]) => /(?<![.\w])fetch\(|from 'undici'|\bhttps?\.(get|request)\(/.test(text));
  t.same(
    fetching.map(([path]) => path),
    ['application/services/payments/http.ts', 'platform/core/calls/outside.ts'],
    'the first gets its `fetch` of the second',
  );
});
