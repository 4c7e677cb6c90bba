import type { Application } from '@accord-api/platform/internals/application';
import type { FastifyInstance } from 'fastify';
import type { Contract } from './contract.js';
import type { Exchange } from './coverage/exchange.js';
import type { GraphQLRequest, GraphQLResult } from './coverage/graphql.js';
import { note, type Observations } from './coverage/recording.js';
import { graphqlBreaches, resultBreaches } from './graphql-answers.js';
import type { Json, Person } from './people.js';
import { type Subscription, subscribe } from './subscription.js';

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
