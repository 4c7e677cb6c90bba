import t from 'tap';
import { onEachDatabase } from '../../support/databases.js';
import { fakeGateway } from '../../support/gateway.js';
import { startService } from '../../support/service.js';

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

onEachDatabase(t, async (t, open) => {
  const gateway = await fakeGateway(t);
  const { rest, viewer } = await startService(t, await open(), { PAYMENT_URL: gateway.url });

  t.test('a payment gateway gets the request id and the trace', async (t) => {
    const { body } = await rest('POST', `/api/v1/users/${viewer.id}/orders`, {
      as: viewer,
      body: { total: { amount: 100, currency: 'EUR' } },
    });
    const headers = { 'x-request-id': 'paid', traceparent: TRACEPARENT, tracestate: 'vendor=1' };
    const { status, text } = await rest('POST', `/api/v1/orders/${body.id}/payment`, {
      as: viewer,
      headers,
    });
    t.equal(status, 200, text);
    t.match(gateway.requests.at(-1)?.headers, headers);
  });

  t.test('a trace of a later version goes on in version 00, and without a state that is too long', async (t) => {
    const { body } = await rest('POST', `/api/v1/users/${viewer.id}/orders`, {
      as: viewer,
      body: { total: { amount: 100, currency: 'EUR' } },
    });
    const later = `01${TRACEPARENT.slice(2)}-${'x'.repeat(4000)}`;
    const headers = { traceparent: later, tracestate: `vendor=${'x'.repeat(4000)}` };
    const { status, text } = await rest('POST', `/api/v1/orders/${body.id}/payment`, { as: viewer, headers });
    t.equal(status, 200, text);
    const sent = gateway.requests.at(-1)?.headers;
    t.match([sent?.['traceparent'], sent?.['tracestate']], [TRACEPARENT, undefined]);
  });
});
