import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { BOUNDS } from '../../../src/platform/bounds.js';
import { outsideService } from '../../../src/platform/calls/outside.js';
import { memoryDatabase } from '../../support/databases.js';
import { sourcesIn } from '../../support/imports.js';
import { eventually } from '../../support/process.js';
import { codeOf, startService } from '../../support/service.js';

const LIMIT = BOUNDS.outsideAnswer.value;
const JSON_TYPE = { 'content-type': 'application/json' };

const GROWING = gzipSync(Buffer.alloc(64 * LIMIT));

async function serve(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Sends zeros until the client leaves. */
function flood(response: ServerResponse, count: (bytes: number) => void): void {
  const piece = Buffer.alloc(65_536);
  const more = (): void => {
    let goesOn = true;
    while (goesOn && !response.destroyed) {
      goesOn = response.write(piece);
      count(piece.length);
    }
  };
  response.writeHead(200, JSON_TYPE).on('drain', more);
  more();
}

t.test('the answer of a payment gateway is bounded', async (t) => {
  let [sent, closed, stolen] = [0, 0, 0];
  const elsewhere = await serve(t, (_request, response) => {
    stolen += 1;
    response.writeHead(200, JSON_TYPE).end('{"status":"settled"}');
  });
  const answers: Record<string, (response: ServerResponse) => void> = {
    'an endless answer': (response) =>
      flood(response, (bytes) => {
        sent += bytes;
      }),
    'an answer that grows when it is decompressed': (response) =>
      response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(GROWING),
    'an answer in drops': (response) => {
      response.writeHead(200, JSON_TYPE);
      const drops = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(drops));
    },
    'a redirect': (response) => response.writeHead(307, { location: elsewhere }).end(),
  };
  const expected: Record<string, [number, string]> = {
    'an endless answer': [502, 'BAD_GATEWAY'],
    'an answer that grows when it is decompressed': [502, 'BAD_GATEWAY'],
    'an answer in drops': [504, 'GATEWAY_TIMEOUT'],
    'a redirect': [502, 'BAD_GATEWAY'],
  };
  for (const [name, answer] of Object.entries(answers)) {
    t.test(name, async (t) => {
      const url = await serve(t, async (request, response) => {
        response.once('close', () => {
          closed += response.writableFinished ? 0 : 1;
        });
        request.resume();
        await once(request, 'end');
        answer(response);
      });
      const environment = { PAYMENT_URL: url.replace('//', '//us:secret@'), PAYMENT_TIMEOUT: '1000' };
      const { rest, viewer: as } = await startService(t, await memoryDatabase(t), environment);
      const total = { total: { amount: 1999, currency: 'EUR' } };
      const { id } = (await rest('POST', `/api/v1/users/${as.id}/orders`, { as, body: total })).body;
      t.same(codeOf(await rest('POST', `/api/v1/orders/${id}/payment`, { as })), expected[name]);
    });
  }
  t.test('and nothing was read or sent beyond the bounds', async (t) => {
    await eventually('closed connections', () => closed >= 2);
    t.ok(sent < 64 * LIMIT, `${sent} bytes were sent`);
    t.equal(stolen, 0, 'no redirect is followed');
  });
});

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
    ['application/services/payments/http.ts', 'platform/calls/outside.ts'],
    'the first gets its `fetch` of the second',
  );
});
