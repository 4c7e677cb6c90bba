import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** The reaction to one request. `lost…`: the gateway takes the payment, but its answer is lost. */
export type Behaviour =
  | 'settle'
  | 'decline'
  | 'lost in time'
  | 'lost by reset'
  | 'lost in garbage'
  | 'lost in 408'
  | 'lost in 409'
  | 'lost in 425'
  | 'lost in 500'
  | 'twice'
  | 'refuse'
  | 'limit'
  | 'fail';

export interface FakeGateway {
  url: string;
  /** The reactions to the next requests, before `otherwise`. */
  next: Behaviour[];
  otherwise: Behaviour;
  requests: {
    key: string;
    authorization: string | undefined;
    headers: IncomingHttpHeaders;
    body: { order_id: number } & Record<string, unknown>;
  }[];
  /** Returns the keys under which an order was paid: at most one, or the customer paid twice. */
  taken: (orderId: number) => string[];
  /** Delays all answers. */
  hold: () => void;
  release: () => void;
}

/** Starts a payment gateway that remembers idempotency keys and fails on demand. */
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
    const { headers } = request;
    gateway.requests.push({ key, authorization: headers.authorization, headers, body });
    const behaviour = gateway.next.shift() ?? gateway.otherwise;
    if (!['decline', 'refuse', 'limit', 'fail'].includes(behaviour)) settled.set(key, body.order_id);
    if (behaviour === 'twice') settled.set(key, body.order_id);
    await gate;
    // A repeated key gets the first answer.
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
    limit: () => send(429, '{"error":"too many payments"}'),
    fail: () => send(500, 'oops'),
    'lost in 408': () => send(408, '{"error":"too slow"}'),
    'lost in 409': () => send(409, '{"error":"the first request under this key is still running"}'),
    'lost in 425': () => send(425, '{"error":"too early"}'),
    'lost in 500': () => send(500, '{"status":"settled"}'),
    'lost in garbage': () => send(200, '<html>'),
    'lost by reset': () => response.socket?.resetAndDestroy(),
    'lost in time': () => {},
  };
  by[behaviour]();
}
