import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** What the gateway does with one request. `lost…`: it takes the payment, and the answer never arrives as it should. */
export type Behaviour =
  | 'settle'
  | 'decline'
  | 'lost in time'
  | 'lost by reset'
  | 'lost in garbage'
  | 'lost in 500'
  | 'twice'
  | 'refuse'
  | 'fail';

export interface FakeGateway {
  url: string;
  /** What comes next, a request each; after that `otherwise`. */
  next: Behaviour[];
  otherwise: Behaviour;
  /** Every request, in order. */
  requests: { key: string; authorization: string | undefined; body: { order_id: number } & Record<string, unknown> }[];
  /** The keys under which an order was really taken: never more than one, if no money is to be lost. */
  taken: (orderId: number) => string[];
  /** While held, nothing is answered. */
  hold: () => void;
  release: () => void;
}

/** A payment gateway over HTTP that keeps idempotency keys as a real one does, and fails on demand. */
export async function fakeGateway(t: Test): Promise<FakeGateway> {
  const settled = new Map<string, number>();
  let gate = Promise.resolve();
  let open = () => {};
  const gateway: FakeGateway = {
    url: '',
    next: [],
    otherwise: 'settle',
    requests: [],
    taken: (orderId) => [...settled].filter(([, id]) => id === orderId).map(([key]) => key),
    hold: () => {
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    release: () => open(),
  };

  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const key = String(request.headers['idempotency-key']);
    const body = JSON.parse(text);
    gateway.requests.push({ key, authorization: request.headers.authorization, body });
    const behaviour = gateway.next.shift() ?? gateway.otherwise;
    if (!['decline', 'refuse', 'fail'].includes(behaviour)) settled.set(key, body.order_id);
    if (behaviour === 'twice') settled.set(key, body.order_id);
    await gate;
    // Under a key that was taken before, the answer is what it was.
    answer(settled.has(key) && !behaviour.startsWith('lost') ? 'settle' : behaviour, response);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  gateway.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/payments`;
  t.teardown(() => {
    open();
    server.closeAllConnections();
    server.close();
  });
  return gateway;
}

function answer(behaviour: Behaviour, response: ServerResponse): void {
  const send = (status: number, text: string) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  const by: Record<Behaviour, () => unknown> = {
    settle: () => send(200, '{"status":"settled"}'),
    twice: () => send(200, '{"status":"settled"}'),
    decline: () => send(402, '{"status":"declined"}'),
    refuse: () => send(403, '{"error":"not a customer of ours"}'),
    fail: () => send(500, 'oops'),
    'lost in 500': () => send(500, '{"status":"settled"}'),
    'lost in garbage': () => send(200, '<html>'),
    'lost by reset': () => response.socket?.resetAndDestroy(),
    'lost in time': () => {},
  };
  by[behaviour]();
}
