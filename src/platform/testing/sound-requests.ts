import type { Schema } from '../../src/platform/contract/document.js';
import type { Operation } from '../../src/platform/contract/openapi.js';
import { hashToken, newToken } from '../../src/platform/sessions/opaque-tokens.js';
import { type Json, PASSWORD, type Person } from './people.js';
import type { Service } from './service.js';

/** A request that is not sent yet, so that a test can put faults into it. */
export interface Draft {
  as: Person | undefined;
  path: Record<string, string>;
  query: Record<string, string>;
  headers: Record<string, string>;
  /** Sent as JSON, unless it is a string; undefined for no body. */
  body: Json;
}

let made = 0;

/** Makes what the path of an operation names: a user who is nobody else, a pending order of that user, a session of the caller. */
async function pathOf({ database: { client }, admin }: Service, { path }: Operation): Promise<Record<string, string>> {
  made += 1;
  const email = `owner${made}@example.com`;
  const data = { name: `Owner ${made}`, email, emailKey: email, role: 'VIEWER' as const };
  const user = await client.user.create({ data, select: { id: true } });
  const named: Record<string, () => Promise<string>> = {
    user_id: async () => String(user.id),
    order_id: async () => {
      const order = await client.order.create({ data: { userId: user.id, amount: 1999, currency: 'EUR' } });
      return String(order.id);
    },
    session_id: async () => {
      const session = await client.session.create({
        data: { userId: admin.id, expiresAt: new Date(Date.now() + 86_400_000) },
      });
      return session.id;
    },
  };
  const entries = [...path.matchAll(/{(\w+)}/g)].map(async ([, name = '']) => {
    const make = named[name];
    if (!make) throw new Error(`How is a ${name} made? Say so in test/support/sound-requests.ts.`);
    return [name, await make()] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** The first example of the contract, with an e-mail address that is free or, for a login, right. */
function bodyOf({ operation: { requestBody }, operationId }: Operation, { viewer }: Service): Json {
  const [content] = Object.values(requestBody?.content ?? {});
  if (!content || !requestBody?.required) return undefined;
  if (operationId === 'login') return { email: viewer.email, password: PASSWORD };
  const example = Object.values(content.examples ?? {})[0]?.value as Json;
  return 'email' in ((content.schema as Schema).properties ?? {})
    ? { ...example, email: `free${made}@example.com` }
    : { ...example };
}

/** A refresh token of a session of its own. */
async function refreshToken({ database: { client }, viewer }: Service): Promise<string> {
  const token = newToken('acr_');
  const expiresAt = new Date(Date.now() + 86_400_000);
  await client.session.create({
    data: { userId: viewer.id, expiresAt, tokens: { create: { hash: hashToken(token) } } },
  });
  return token;
}

/** A request to which the contract promises success, made from the contract's own examples. */
export async function soundRequest(service: Service, operation: Operation): Promise<Draft> {
  const path = await pathOf(service, operation);
  const as = operation.permission === 'public' ? undefined : service.admin;
  const refreshes = ['refreshSession', 'logout'].includes(operation.operationId);
  const body = refreshes ? { refresh_token: await refreshToken(service) } : bodyOf(operation, service);
  return { as, path, query: {}, headers: {}, body };
}

/** The address of a draft: the template filled in. */
export function addressOf({ path }: Operation, draft: Draft): string {
  const pathname = path.replaceAll(/{(\w+)}/g, (_, name: string) => encodeURIComponent(draft.path[name] ?? ''));
  const query = new URLSearchParams(draft.query).toString();
  return query ? `${pathname}?${query}` : pathname;
}
