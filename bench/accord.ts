import { setTimeout as delay } from 'node:timers/promises';
import type { Published, Variant } from './measure.js';
import { type Measured, startMeasured } from './server.js';

/** The rate limits are on, but too high to reject a request. */
export const HIGH_LIMITS = {
  RATE_LIMIT: '1000000000',
  RATE_LIMIT_ANONYMOUS: '1000000000',
  RATE_CEILING: '1000000000',
  LOGIN_LIMIT: '1000000',
};

/** Starts Accord as `npm start` does. @param flags further flags for Node @param folder of another commit */
export const startAccord = (
  DATABASE_URL: string,
  environment: Record<string, string> = {},
  flags: string[] = [],
  folder?: string,
): Promise<Measured> =>
  startMeasured({ ...HIGH_LIMITS, LOG_LEVEL: 'info', DATABASE_URL, ...environment }, flags, folder);

const ADMIN = 'ada@demo.accord.example';
/** Returns the email address of a user of the benchmark. Three users of the demo precede them. */
export const emailOf = (id: number): string => `user${id - 3}@example.com`;
/** The password of the demo and of the users who write. */
export const PASSWORD = 'correct horse battery';

const RETRY_INTERVAL_MS = 5;

/** Logs a user in and returns the header. On a busy machine this can take several attempts. */
export async function login({ url }: Measured, email = ADMIN): Promise<{ authorization: string }> {
  const body = JSON.stringify({ email, password: PASSWORD });
  const headers = { 'content-type': 'application/json' };
  let response: Response;
  do {
    await delay(RETRY_INTERVAL_MS);
    response = await fetch(`${url}/api/v1/auth/login`, { method: 'POST', headers, body });
  } while (response.status === 503);
  if (!response.ok) throw new Error(await response.text());
  return { authorization: `Bearer ${((await response.json()) as { access_token: string }).access_token}` };
}

/** The numbers of the pages that are requested in turn. */
export const LISTED = Array.from({ length: 20 }, (_, i) => i + 1);

/** The number of pages that one request skips: the maximum. */
const STRIDE = 5;

/**
 * Returns where the list continues after pages of 20 users, by the cursor of Accord and by id. @param pages in
 * ascending order
 */
export async function placesAfter(
  { url }: Measured,
  headers: { authorization: string },
  pages: readonly number[],
): Promise<{ cursor: string; id: number }[]> {
  const places: { cursor: string; id: number }[] = [];
  let [walked, place] = [0, { cursor: '', id: 0 }];
  for (const wanted of pages) {
    while (walked < wanted) {
      const steps = Math.min(STRIDE, wanted - walked);
      const response = await fetch(`${url}/api/v1/users?after=${place.cursor}&limit=${20 * steps}`, { headers });
      const { data, cursor } = (await response.json()) as { data: { id: number }[]; cursor: { next: string } };
      place = { cursor: cursor.next, id: data.at(-1)?.id as number };
      walked += steps;
    }
    places.push(place);
  }
  return places;
}

const ADD = 'mutation($text: String!) { addMessage(channelId: "bench", text: $text) { id } }';

/** Returns a variant whose administrator publishes to subscribers. @param subscribers their user ids */
export async function withSubscribers(ours: Variant, subscribers: readonly number[]): Promise<Published> {
  const authorizations: string[] = [];
  for (const id of subscribers) authorizations.push((await login(ours.server, emailOf(id))).authorization);
  const publication = {
    url: `${ours.server.url}/graphql`,
    headers: await login(ours.server),
    body: JSON.stringify({ query: ADD, variables: { text: '{n}' } }),
  };
  return { ...ours, authorizations, publication };
}

/** Repeats a request until the first 200. */
export async function untilAnswered({ url }: Measured, path: string, headers: Record<string, string>): Promise<void> {
  for (;;) {
    const response = await fetch(url + path, { headers }).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
    await delay(RETRY_INTERVAL_MS);
  }
}

export const stopAll = (variants: readonly Pick<Variant, 'server'>[]) =>
  Promise.all(variants.map(({ server }) => server.stop()));
