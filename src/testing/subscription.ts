import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { GraphQLRequest, GraphQLResult } from './coverage/graphql.js';
import type { Person } from './people.js';

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
