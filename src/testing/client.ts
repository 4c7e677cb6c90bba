import { type Agent, request } from 'node:http';
import type { Application } from '@accord-api/platform/internals/application';
import type { Catalogue } from '@accord-api/platform/internals/contract/codes';
import type { FastifyInstance } from 'fastify';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { Contract } from './contract.js';
import type { Exchange } from './coverage/exchange.js';
import type { GraphQLRequest, GraphQLResult } from './coverage/graphql.js';
import { note, type Observations } from './coverage/recording.js';
import type { Json, Person } from './people.js';

/** Milliseconds between two looks. */
const PAUSE = 25;

export interface Subscription {
  /** Takes the first result that fits, now or when it comes. Rejects once the subscription has ended without one. */
  next: (fits?: (result: GraphQLResult) => boolean) => Promise<GraphQLResult>;
  /**
   * Does what the subscription is told of, again and again until something came: from then on it is in place. What came is
   * dropped, and more of it may follow; `next` is told what to look for.
   */
  inPlace: (cause: () => Promise<unknown>) => Promise<void>;
  /** Ends it. */
  close: () => void;
}

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE));

/**
 * Subscribes over a socket of its own, by the `Authorization` header of a person.
 * @param observe is told of each result
 */
export function subscribe(
  url: string,
  person: Pick<Person, 'headers'>,
  request: Required<Pick<GraphQLRequest, 'query'>> & GraphQLRequest,
  observe: (result: GraphQLResult) => void,
): Subscription {
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: person.headers['authorization'] },
    retryAttempts: 0,
  });
  const received: GraphQLResult[] = [];
  let end: { error?: unknown } | undefined;
  client.subscribe(
    { query: request.query as string, variables: request.variables as Record<string, unknown> | undefined },
    {
      next: (result) => {
        received.push(result as GraphQLResult);
        try {
          observe(result as GraphQLResult);
        } catch (error) {
          end = { error };
        }
      },
      error: (error) => {
        end = { error };
        if (!Array.isArray(error)) return;
        try {
          observe({ errors: error as unknown as NonNullable<GraphQLResult['errors']> });
        } catch (breach) {
          end = { error: breach };
        }
      },
      complete: () => {
        end = {};
      },
    },
  );
  const refuseEnded = () => {
    if (end?.error instanceof Error) throw end.error;
    if (end) throw new Error('The subscription has ended.', { cause: end.error });
  };
  return {
    async next(fits = () => true) {
      for (;;) {
        if (end?.error instanceof Error) throw end.error;
        const index = received.findIndex(fits);
        if (index >= 0) return received.splice(index, 1)[0] as GraphQLResult;
        refuseEnded();
        await pause();
      }
    },
    async inPlace(cause) {
      while (received.length === 0) {
        refuseEnded();
        await cause();
        await pause();
      }
      received.length = 0;
    },
    close: () => void client.dispose(),
  };
}

/** A request as a client with an open mind sends it. */
export interface Drawn {
  method: string;
  /** The path and the query. */
  url: string;
  headers: Record<string, string>;
  payload: string | Uint8Array | undefined;
}

/** Sends a request whose headers are those that it has: `fetch` sends no Host but its own. */
export const send = (base: string, { method, url, headers, payload }: Drawn, agent?: Agent): Promise<Exchange> =>
  new Promise((resolve, reject) => {
    const sent = { ...headers, ...(payload !== undefined && { 'content-length': Buffer.byteLength(payload) }) };
    const outgoing = request(new URL(base), { agent, method, path: url, headers: sent }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      incoming.on('end', () => {
        const received = new Headers();
        for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
          for (const value of values) received.append(name, value);
        }
        const [path = '', query = ''] = url.split('?');
        const asked = { query, headers: new Headers(headers), body: typeof payload === 'string' ? payload : undefined };
        resolve({ method, path, request: asked, status: incoming.statusCode ?? 0, headers: received, text });
      });
    });
    outgoing.on('error', reject).end(payload);
  });

/**
 * Holds an answer of GraphQL to docs/decisions.md, "The 200 rule of GraphQL", and to the shape of errors.
 * @param body one result, or those of a batch
 * @param catalogue the error codes that there are
 * @returns what is wrong, in words
 */
function* graphqlBreaches(response: Response, body: Json, catalogue: Catalogue): Generator<string> {
  if (response.status !== 200) yield `GraphQL answered ${response.status}`;
  const isShed = body.errors?.[0]?.message === 'The service is overloaded.';
  if (!isShed && !response.headers.has('x-rate-limit-limit')) yield 'GraphQL sent no rate headers';
  for (const result of Array.isArray(body) ? body : [body]) yield* resultBreaches(result, catalogue);
}

/** The same of one result, over HTTP or a socket. */
function* resultBreaches({ errors = [] }: Json, catalogue: Catalogue): Generator<string> {
  for (const { message, path = [], locations = [], extensions } of errors) {
    const { code, statusCode } = extensions;
    if (typeof message !== 'string') yield 'an error has no message';
    if (catalogue[code]?.status !== statusCode) yield `${code} came with the status ${statusCode}`;
    if (path.some((key: unknown) => typeof key !== 'string' && typeof key !== 'number'))
      yield 'a path holds no name or index';
    for (const { line, column } of locations) if (!line || !column) yield 'a location has no line or column';
  }
}

export interface RestRequest {
  /** Who asks. */
  as?: Pick<Person, 'headers'> | undefined;
  headers?: Record<string, string>;
  /** Sent as JSON, unless it is a string. */
  body?: unknown;
}

export interface RestAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** What JSON says. */
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
  /** The codes of the errors, in order. */
  codes: Code[];
}

/** What sends requests to a service, and looks at every answer. */
export interface Asking {
  /** Any request, by a path of the service: what `fetch` takes and gives. */
  fetch: (path: string, init?: RequestInit) => Promise<Response>;
  rest: (method: string, path: string, request?: RestRequest) => Promise<RestAnswer>;
  graphql: (person: Pick<Person, 'headers'> | null, query: string, variables?: object) => Promise<GraphQLAnswer>;
  subscribe: (person: Pick<Person, 'headers'>, query: string, variables?: object) => Subscription;
  /** Looks at an answer that came in another way, as those that come by the functions here are looked at. */
  heldToContract: (exchange: Exchange) => void;
}

interface AskingDependencies {
  app: FastifyInstance;
  url: string;
  contract: Contract;
  errors: Application['errors'];
  /** Where what is seen counts. */
  observations: Observations | undefined;
  onBreach: (breach: string) => void;
}

export function asking({ app, url, contract, errors: catalogue, observations, onBreach }: AskingDependencies): Asking {
  const heldToContract = (exchange: Exchange) => {
    if (observations) note(observations, contract.observeRest(exchange));
    for (const breach of contract.breaches(exchange, app.notWritten)) onBreach(breach);
  };
  const record = (request: GraphQLRequest, result: GraphQLResult) => {
    if (observations) note(observations, contract.observeGraphql(request, result));
  };
  const graphqlSeen = (requests: GraphQLRequest | GraphQLRequest[], response: Response, body: Json) => {
    const results = [body].flat();
    for (const [index, request] of [requests].flat().entries()) record(request, results[index]);
    for (const breach of graphqlBreaches(response, body, catalogue)) onBreach(breach);
  };

  /** Sends a request that is REST's, wherever it goes. */
  const ask = async (path: string, init: RequestInit): Promise<{ response: Response; text: string }> => {
    const response = await fetch(url + path, { redirect: 'manual', ...init });
    const text = await response.clone().text();
    const [pathname = '', ...query] = path.split('?');
    const body = typeof init.body === 'string' ? init.body : undefined;
    const request = { query: query.join('?'), headers: new Headers(init.headers), body };
    const { status, headers } = response;
    heldToContract({ method: init.method ?? 'GET', path: pathname, request, status, headers, text });
    return { response, text };
  };

  return {
    heldToContract,

    async fetch(path, init = {}) {
      // The pages for people are in no contract.
      if (/^\/docs($|[/?])/.test(path)) return fetch(url + path, init);
      if (!/^\/graphql($|\?)/.test(path)) return (await ask(path, init)).response;
      const response = await fetch(url + path, { redirect: 'manual', ...init });
      const isAnswer = response.headers.get('content-type')?.includes('json') === true;
      if (isAnswer && typeof init.body === 'string')
        graphqlSeen(JSON.parse(init.body), response, await response.clone().json());
      return response;
    },

    async rest(method, path, { as, headers = {}, body } = {}) {
      const isRaw = typeof body === 'string' || body instanceof Uint8Array;
      const sent = {
        ...(body !== undefined && !isRaw && { 'content-type': 'application/json' }),
        ...as?.headers,
        ...headers,
      };
      const payload = isRaw || body === undefined ? body : JSON.stringify(body);
      const init = { method, headers: sent, ...(payload !== undefined && { body: payload }) };
      const { response, text } = await ask(path, init);
      // A range of a JSON document is a piece of text.
      const isWhole = text !== '' && response.status !== 206;
      const isJson = isWhole && response.headers.get('content-type')?.includes('json');
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
    },

    async graphql(person, query, variables) {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...person?.headers },
        body: JSON.stringify({ query, variables }),
      });
      const body: Json = await response.json();
      graphqlSeen({ query, variables }, response, body);
      const { data, errors = [] } = body;
      return { headers: response.headers, data, errors, codes: errors.map((one: Json) => one.extensions.code) };
    },

    subscribe(person, query, variables) {
      const request = { query, variables };
      return subscribe(url, person, request, (result) => {
        record(request, result);
        for (const breach of resultBreaches(result, catalogue)) onBreach(breach);
      });
    },
  };
}
