import { type Agent, request } from 'node:http';
import type { Application } from '@accord-api/platform/internals/core/application';
import type { Catalogue } from '@accord-api/platform/internals/core/contract/codes';
import { type Seams, WITHOUT_PARTS } from '@accord-api/platform/internals/core/part';
import type { FastifyInstance } from 'fastify';
import { createClient, type SubscribePayload } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { Contract } from './contract.js';
import { note, type Observations } from './coverage/elements.js';
import type { Exchange } from './coverage/exchange.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies without types; the contract decides about them
export type Json = any;

export interface Account {
  id: number;
  email: string;
  role: string;
}

/** An account that has logged in. */
export interface Person extends Account {
  /** Credentials of the first mechanism that the contract has: JWT, opaque token, Basic, cookie. */
  headers: Record<string, string>;
}

const POLL_INTERVAL_MS = 25;
const MAX_EVENTS = 400;

interface GraphQLResult {
  data?: unknown;
  errors?: readonly object[] | undefined;
}

export interface Subscription {
  /** Removes and returns the first matching result, or waits for it. Rejects if the subscription ends without one. */
  next: (matches?: (result: GraphQLResult) => boolean) => Promise<GraphQLResult>;
  /**
   * Causes events until one arrives, because a subscription starts some time after the request. Returns the first result and discards
   * the others; more of these events may follow.
   */
  waitUntilActive: (cause: () => unknown) => Promise<GraphQLResult>;
  close: () => void;
}

const pause = () => new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));

/** Subscribes over a new socket. @param onResult checks each result; its error ends the subscription */
function subscribe(
  url: string,
  { headers }: Pick<Person, 'headers'>,
  request: { query: string; variables: object | undefined },
  onResult: (result: GraphQLResult) => void,
): Subscription {
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: headers['authorization'] },
    retryAttempts: 0,
  });
  const received: GraphQLResult[] = [];
  let breach: unknown;
  let end: Error | undefined;
  const check = (result: GraphQLResult) => {
    try {
      onResult(result);
    } catch (error) {
      breach ??= error;
    }
  };
  const finish = (cause?: unknown) => {
    end = cause instanceof Error ? cause : new Error('The subscription has ended.', { cause });
  };
  client.subscribe(request as SubscribePayload, {
    next(result) {
      received.push(result as GraphQLResult);
      check(result as GraphQLResult);
    },
    error(error) {
      if (Array.isArray(error)) check({ errors: error });
      finish(error);
    },
    complete: finish,
  });
  return {
    async next(matches = () => true) {
      for (;;) {
        if (breach !== undefined) throw breach;
        const index = received.findIndex(matches);
        if (index >= 0) return received.splice(index, 1)[0] as GraphQLResult;
        if (end) throw end;
        await pause();
      }
    },
    async waitUntilActive(cause) {
      for (let count = 0; received.length === 0 && count < MAX_EVENTS; count++) {
        if (breach ?? end) throw breach ?? end;
        await cause();
        await pause();
      }
      const [first] = received.splice(0);
      if (first === undefined) throw new Error('No event arrived.', { cause: { code: 'NO_EVENT' } });
      return first;
    },
    close: () => void client.dispose(),
  };
}

export interface RawRequest {
  method: string;
  /** The path and the query. */
  url: string;
  headers: Record<string, string>;
  payload: string | Uint8Array | undefined;
}

/** Sends a request with exactly these headers: `fetch` does not send a Host header. */
export const sendRaw = (
  base: string,
  { method, url, headers, payload }: RawRequest,
  agent?: Agent,
): Promise<Exchange> =>
  new Promise((resolve, reject) => {
    const sent = { ...headers, ...(payload !== undefined && { 'content-length': Buffer.byteLength(payload) }) };
    const outgoing = request(new URL(base), { agent, method, path: url, headers: sent }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      incoming.on('end', () => {
        const received = new Headers();
        for (const [name, values = []] of Object.entries(incoming.headersDistinct))
          for (const value of values) received.append(name, value);
        const [path = '', query = ''] = url.split('?');
        const body = typeof payload === 'string' ? payload : undefined;
        const asked = { query, headers: new Headers(headers), body };
        resolve({ method, path, request: asked, status: incoming.statusCode ?? 0, headers: received, text });
      });
    });
    outgoing.on('error', reject).end(payload);
  });

/** Returns true if an application has a part. Without it, the contract alone does not say what an answer contains. */
export const hasPart = ({ core }: FastifyInstance, name: keyof Seams) => core.seams[name] !== WITHOUT_PARTS[name];

/** Lists violations of the 200 rule and of the shape of errors (docs/decisions.md, "The 200 rule of GraphQL"). */
function* graphqlBreaches(response: Response, body: Json, catalogue: Catalogue, isCounted: boolean): Generator<string> {
  if (response.status !== 200) yield `GraphQL answered ${response.status}`;
  const isShed = body.errors?.[0]?.message.startsWith('The service is overloaded.') === true;
  if (isCounted && !isShed && !response.headers.has('x-rate-limit-limit')) yield 'GraphQL sent no rate headers';
  for (const result of [body].flat()) yield* resultBreaches(result, catalogue);
}

function* resultBreaches({ errors = [] }: Json, catalogue: Catalogue): Generator<string> {
  for (const { message, path = [], locations = [], extensions } of errors) {
    const { code, statusCode } = extensions;
    if (typeof message !== 'string') yield 'an error has no message';
    if (catalogue[code]?.status !== statusCode) yield `${code} came with the status ${statusCode}`;
    if (path.some((key: unknown) => typeof key !== 'string' && typeof key !== 'number'))
      yield 'a path contains something other than names and indexes';
    for (const { line, column } of locations) if (!line || !column) yield 'a location has no line or column';
  }
}

export interface RestRequest {
  as?: Pick<Person, 'headers'> | undefined;
  headers?: Record<string, string>;
  /** Sent as JSON, unless it is a string or bytes. */
  body?: unknown;
}

export interface RestAnswer {
  status: number;
  headers: Headers;
  text: string;
  body: Json;
}

export interface GraphQLAnswer<Code extends string = string> {
  headers: Headers;
  data: Json;
  errors: {
    message: string;
    path?: (string | number)[];
    locations?: object[];
    extensions: { code: Code; statusCode: number; errors?: { pointer: string; detail: string }[] };
  }[];
  codes: Code[];
}

/** Sends requests to a service and checks every answer against the contracts. */
export interface TestClient {
  fetch: (path: string, init?: RequestInit) => Promise<Response>;
  rest: (method: string, path: string, request?: RestRequest) => Promise<RestAnswer>;
  graphql: (person: Pick<Person, 'headers'> | null, query: string, variables?: object) => Promise<GraphQLAnswer>;
  subscribe: (person: Pick<Person, 'headers'>, query: string, variables?: object) => Subscription;
  /** Counts elements of the contracts as covered. */
  observe: (keys: Iterable<string>) => void;
  /** Checks an answer to a request that was sent in another way. */
  checkExchange: (exchange: Exchange) => void;
}

interface ClientDependencies {
  app: FastifyInstance;
  url: string;
  contract: Contract;
  errors: Application['errors'];
  /** Counts the elements that the exchanges show. */
  observations: Observations | undefined;
  onBreach: (breach: string) => void;
}

export function testClient({ app, url, contract, errors, observations, onBreach }: ClientDependencies): TestClient {
  const observe = (keys: Iterable<string>) => observations && note(observations, keys);
  const checkExchange = (exchange: Exchange) => {
    observe(contract.observeRest(exchange));
    for (const breach of contract.breaches(exchange, app.notWritten)) onBreach(breach);
  };
  const fetchGraphql = async (init: RequestInit, path = '/graphql'): Promise<Response> => {
    const response = await fetch(url + path, { redirect: 'manual', ...init });
    const isAnswer = response.headers.get('content-type')?.includes('json') === true;
    if (!isAnswer || typeof init.body !== 'string') return response;
    const body: Json = await response.clone().json();
    for (const breach of graphqlBreaches(response, body, errors, hasPart(app, 'limits'))) onBreach(breach);
    return response;
  };

  const fetchRest = async (path: string, init: RequestInit): Promise<{ response: Response; text: string }> => {
    const response = await fetch(url + path, { redirect: 'manual', ...init });
    const text = await response.clone().text();
    const [pathname = '', ...query] = path.split('?');
    const body = typeof init.body === 'string' ? init.body : undefined;
    const request = { query: query.join('?'), headers: new Headers(init.headers), body };
    const { status, headers } = response;
    checkExchange({ method: init.method ?? 'GET', path: pathname, request, status, headers, text });
    return { response, text };
  };

  return {
    observe,
    checkExchange,

    async fetch(path, init = {}) {
      // No contract declares the pages for people.
      if (/^\/docs($|[/?])/.test(path)) return fetch(url + path, init);
      if (!/^\/graphql($|\?)/.test(path)) return (await fetchRest(path, init)).response;
      return fetchGraphql(init, path);
    },

    async rest(method, path, { as, headers = {}, body } = {}) {
      const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
      const type = isRaw ? {} : { 'content-type': 'application/json' };
      const init: RequestInit = { method, headers: { ...type, ...as?.headers, ...headers } };
      if (body !== undefined) init.body = isRaw ? body : JSON.stringify(body);
      const { response, text } = await fetchRest(path, init);
      // A range of a JSON document is not JSON.
      const isWhole = text !== '' && response.status !== 206;
      const isJson = isWhole && response.headers.get('content-type')?.includes('json');
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
    },

    async graphql(person, query, variables) {
      const headers = { 'content-type': 'application/json', ...person?.headers };
      const response = await fetchGraphql({ method: 'POST', headers, body: JSON.stringify({ query, variables }) });
      const { data, errors: found = [] }: Json = await response.json();
      const codes = found.map((error: Json) => error.extensions.code);
      return { headers: response.headers, data, errors: found, codes };
    },

    subscribe(person, query, variables) {
      const request = { query, variables };
      return subscribe(url, person, request, (result) => {
        for (const breach of resultBreaches(result, errors)) onBreach(breach);
      });
    },
  };
}
