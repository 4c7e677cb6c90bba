import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { varyBy } from '../http/vary.js';
import { plainlyCanonical, type Selection, selectVersion, type Versioned } from './version.js';

/** Of the requests whose address alone does not say which version answers. */
const selections = new WeakMap<IncomingMessage, Selection>();

/** Fastify's `rewriteUrl`: routes every spelling of a resource's address to the canonical one. */
export function versionRouting(versioned: Versioned): (raw: IncomingMessage) => string {
  const isCanonical = plainlyCanonical(versioned);
  return (raw) => {
    const { url = '/' } = raw;
    const naming = namingIn(raw);
    const selection = isCanonical(url, naming) ? undefined : selectVersion(url, naming, versioned);
    if (!selection) return url;
    if (selection.url !== url || selection.failure) selections.set(raw, selection);
    return selection.url;
  };
}

// HTTP/2 has no Host: the authority stands in its place (RFC 9113 §8.3.1).
const namingIn = ({ headers }: IncomingMessage) => ({
  host: headers.host ?? (headers[':authority'] as string | undefined),
  accept: headers.accept,
});

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Names in `API-Version` the version that answers: the one that was selected, or the newest.
     * @param url by which a version is selected, where it is not that of the request
     */
    nameVersion: (request: FastifyRequest, reply: FastifyReply, url?: string) => void;
  }
}

/** Names the version that answers, and refuses those that are not served. */
export const versionPlugin = fp<Versioned>(
  async (app, versioned) => {
    app.decorate('nameVersion', ({ raw }: FastifyRequest, reply: FastifyReply, url?: string) => {
      const selection =
        (url === undefined && selections.get(raw)) || selectVersion(url ?? raw.url ?? '/', namingIn(raw), versioned);
      const version = selection?.version ?? versioned.served.at(-1);
      if (version !== undefined) reply.header('api-version', version);
      if (selection?.open) varyBy(reply, 'Accept');
    });
    app.stage('api-version', (request, reply) => {
      const { plan } = request.route;
      if (plan?.version !== undefined && !selections.has(request.raw))
        return void reply.header('api-version', plan.version);
      // @fastify/cors takes every OPTIONS, so that it does not look unmatched.
      const unmatched = request.is404 || request.method === 'OPTIONS';
      if (selections.has(request.raw) || unmatched || plan?.operation.counted) app.nameVersion(request, reply);
    });
    app.stage('served-version', ({ raw }) => {
      const failure = selections.get(raw)?.failure;
      if (failure) throw failure;
    });
  },
  { name: 'version', dependencies: ['pipeline', 'route'] },
);
