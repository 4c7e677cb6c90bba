import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { BOUNDS } from '../../../src/platform/core/bounds.js';
import { memoryDatabase, onEachDatabase } from '../../support/databases.js';
import { fakeGateway } from '../../support/gateway.js';
import { flood, serve } from '../../support/outside.js';
import { eventually } from '../../support/process.js';
import { codeOf, startService } from '../../support/service.js';

const { outsideCalls, outsideWaiting } = BOUNDS;
const LIMIT = BOUNDS.outsideResponse.value;
const JSON_TYPE = { 'content-type': 'application/json' };
const GROWING = gzipSync(Buffer.alloc(64 * LIMIT));
const EUR = { total: { amount: 1999, currency: 'EUR' } };
const METRICS_TOKEN = 'a token for the metrics of this test';

onEachDatabase(t, async (t, open) => {
  const database = await open();

  t.test('S15: a gateway that hangs costs its own callers only', async (t) => {
    const gateway = await fakeGateway(t);
    const environment = { PAYMENT_URL: gateway.url, PAYMENT_TIMEOUT: '2500', METRICS_TOKEN };
    // Requests wait for a place as in production.
    const admission = { burst: 500, sustained: 250 };
    const { rest, viewer: as, app } = await startService(t, database, environment, Date.now, { admission });
    const ids = await Promise.all(
      Array.from({ length: 140 }, async () => {
        for (;;) {
          const { status, body } = await rest('POST', `/api/v1/users/${as.id}/orders`, { as, body: EUR });
          if (status === 201) return body.id as number;
        }
      }),
    );
    gateway.hold();
    let answered = 0;
    const payments = ids.map(async (id) => {
      const answer = await rest('POST', `/api/v1/orders/${id}/payment`, { as });
      answered += 1;
      return answer;
    });
    const room = outsideCalls.value + outsideWaiting.value;
    await eventually('calls that hang', () => gateway.requests.length >= outsideCalls.value);
    await eventually('payments that were refused', () => answered >= ids.length - room);

    const others = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        i % 2 === 0
          ? rest('GET', `/api/v1/orders/${ids[0]}`, { as })
          : rest('POST', `/api/v1/users/${as.id}/orders`, { as, body: EUR }),
      ),
    );
    t.same([...new Set(others.map(({ status }) => status))].sort(), [200, 201], 'reads and other writes go on');
    t.ok(app.core.seams.limits.places.figures().underWay <= room, 'the payments do not take all places');

    const answers = await Promise.all(payments);
    const refused = answers.filter(({ status }) => status === 503);
    t.equal(refused.length, ids.length - room);
    for (const answer of refused) t.ok(Number(answer.headers.get('retry-after')) > 0);
    const metrics = await rest('GET', '/metrics', { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
    t.match(metrics.text, 'dependency_up{dependency="Payment gateway"} 0');
    // A half-open circuit lets one call through, which hangs.
    await eventually('an open circuit, in which nothing is asked', async () => {
      const [status, code] = codeOf(await rest('POST', `/api/v1/orders/${await newOrder()}/payment`, { as }));
      return status === 502 && code === 'BAD_GATEWAY';
    });
    gateway.release();

    async function newOrder(): Promise<number> {
      return (await rest('POST', `/api/v1/users/${as.id}/orders`, { as, body: EUR })).body.id;
    }
  });
});

t.test(
  'a gateway that answers too much, too slowly or elsewhere fails its payment, and is read no further',
  async (t) => {
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
  },
);
