import { setTimeout as delay } from 'node:timers/promises';
import type { Published, Variant } from './measure.js';
import { type Measured, startMeasured } from './server.js';

/** The limits of calls stay on, and out of the way. */
export const OPEN_HANDED = {
  RATE_LIMIT: '1000000000',
  RATE_LIMIT_ANONYMOUS: '1000000000',
  RATE_CEILING: '1000000000',
  LOGIN_LIMIT: '1000000',
};

/** Accord as `npm start` runs it, and as the others are compared with it. @param flags more of them, for Node */
export const startAccord = (
  DATABASE_URL: string,
  environment: Record<string, string> = {},
  flags: string[] = [],
): Promise<Measured> => startMeasured({ ...OPEN_HANDED, LOG_LEVEL: 'info', DATABASE_URL, ...environment }, flags);

const ADMIN = 'ada@demo.accord.example';
/** Of a user of the bench: before them come three of the demo. */
export const emailOf = (id: number): string => `user${id - 3}@example.com`;
/** Of the demo, and of who writes. */
export const PASSWORD = 'correct horse battery';

/** Milliseconds between two attempts. */
const AGAIN = 5;

/** The header of somebody who has logged in; on a busy machine it may take several attempts. */
export async function login({ url }: Measured, email = ADMIN): Promise<{ authorization: string }> {
  const body = JSON.stringify({ email, password: PASSWORD });
  const headers = { 'content-type': 'application/json' };
  let response: Response;
  do {
    await delay(AGAIN);
    response = await fetch(`${url}/api/v1/auth/login`, { method: 'POST', headers, body });
  } while (response.status === 503);
  if (!response.ok) throw new Error(await response.text());
  return { authorization: `Bearer ${((await response.json()) as { access_token: string }).access_token}` };
}

/** So many pages before those that are asked for in turn. */
export const LISTED = Array.from({ length: 20 }, (_, i) => i + 1);

/** Pages that are walked by one request, the most that it may ask for. */
const STRIDE = 5;

/** Where the list of users goes on after so many pages of twenty, by Accord's cursor and by the id. @param pages in ascending order */
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

/** Accord, to whose channel of the bench the admin writes. @param subscribers the ids of those who hear of it */
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

/** Asks until the first 200. */
export async function untilAnswered({ url }: Measured, path: string, headers: Record<string, string>): Promise<void> {
  for (;;) {
    const response = await fetch(url + path, { headers }).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
    await delay(AGAIN);
  }
}

/** Ends the servers of these variants. */
export const stopAll = (variants: readonly Variant[]) => Promise.all(variants.map(({ server }) => server.stop()));
