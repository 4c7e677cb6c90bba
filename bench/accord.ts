import { setTimeout as delay } from 'node:timers/promises';
import type { Variant } from './measure.js';
import { type Measured, startMeasured } from './server.js';

/** The limits of calls stay on, and out of the way. */
export const OPEN_HANDED = {
  RATE_LIMIT: '1000000000',
  RATE_LIMIT_ANONYMOUS: '1000000000',
  RATE_CEILING: '1000000000',
  LOGIN_LIMIT: '1000000',
};

/** Accord as `npm start` runs it, and as the others are compared with it. */
export const startAccord = (DATABASE_URL: string, environment: Record<string, string> = {}): Promise<Measured> =>
  startMeasured({ ...OPEN_HANDED, LOG_LEVEL: 'info', DATABASE_URL, ...environment });

export const ADMIN = 'ada@demo.accord.example';
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

/** So many places in the list of users, by Accord's cursor and by the id after which they are. */
export async function placesOf({ url }: Measured, headers: { authorization: string }, count: number) {
  const places: { cursor: string; id: number }[] = [];
  let cursor = '';
  while (places.length < count) {
    const response = await fetch(`${url}/api/v1/users?after=${cursor}&limit=20`, { headers });
    const page = (await response.json()) as { data: { id: number }[]; cursor: { next: string } };
    cursor = page.cursor.next;
    places.push({ cursor, id: page.data.at(-1)?.id as number });
  }
  return places;
}

/** The cursors of these pages of twenty, of which the first is 1; in ascending order. */
export async function placesAt({ url }: Measured, headers: { authorization: string }, pages: readonly number[]) {
  const cursors: string[] = [];
  let [cursor, page] = ['', 1];
  for (const wanted of pages) {
    while (page < wanted) {
      const steps = Math.min(5, wanted - page);
      const response = await fetch(`${url}/api/v1/users?after=${cursor}&limit=${20 * steps}`, { headers });
      cursor = ((await response.json()) as { cursor: { next: string } }).cursor.next;
      page += steps;
    }
    cursors.push(cursor);
  }
  return cursors;
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
