import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { NEWEST, type Selection, selectVersion } from './version.js';

const selections = new WeakMap<IncomingMessage, Selection>();

/** Fastify's `rewriteUrl`: routes every spelling of a resource's address to the canonical one. */
export const versionRouting =
  (isResource: (path: string) => boolean) =>
  (raw: IncomingMessage): string => {
    // HTTP/2 has no Host: the authority stands in its place (RFC 9113 §8.3.1).
    const host = raw.headers.host ?? (raw.headers[':authority'] as string | undefined);
    const selection = selectVersion(raw.url ?? '/', { ...raw.headers, ...(host && { host }) }, isResource);
    if (selection) selections.set(raw, selection);
    return selection?.url ?? raw.url ?? '/';
  };

/** Names in `API-Version` the version that answers: on refusals too, so it comes before the rate limit's ceiling. */
export const versionPlugin = fp(async (app) => {
  app.addHook('onRequest', async (request, reply) => {
    const { operation } = request.routeOptions.config;
    const selection = selections.get(request.raw);
    // @fastify/cors takes every OPTIONS, so that it does not look unmatched.
    const unmatched = request.is404 || request.method === 'OPTIONS';
    if (selection || unmatched || operation?.counted) {
      reply.header('api-version', selection?.version ?? NEWEST);
    }
  });
});

/**
 * A hook that refuses versions that are not served: after the ceiling, and before anything that an operation of the
 * newest version would say of the request.
 */
export async function refuseVersion({ raw }: FastifyRequest): Promise<void> {
  const failure = selections.get(raw)?.failure;
  if (failure) throw failure;
}
