import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { Failure } from '../calls/errors.js';
import { isLoopbackHost } from '../loopback.js';
import { linesOf } from './header-lines.js';

interface HostOptions {
  /** PUBLIC_URL */
  publicUrl: string | undefined;
}

/** Refuses requests by the host that they name. */
export const hostPlugin = fp<HostOptions>(
  async (app, { publicUrl }) => {
    app.stage('foreign-host', refuseForeignHost(publicUrl));
    app.stage('second-host', refuseSecondHost);
  },
  { name: 'host', dependencies: ['pipeline'] },
);

/**
 * Refuses what names two hosts, as a server must (RFC 9112 §3.2): one of them may be the version's, or the one that a proxy
 * looked at.
 */
function refuseSecondHost({ raw }: FastifyRequest): void {
  if (linesOf(raw, 'host').length > 1) throw new Failure('BAD_REQUEST', 'The request names more than one Host.');
}

/** A name or an address, and a port; nothing that a reader of URLs would take for a user or a path. */
const NAME_AND_PORT = /^(\[[\da-f:.]+\]|[^\s:@/?#\\[\]]+)(?::\d*)?$/i;

/**
 * Whether a browser sent a request, as far as its headers tell. To an origin that is not trustworthy, which is what a page
 * gets that rebinds its name, it sends no Sec-Fetch-* (Fetch Metadata §2), and with a GET of that origin no Origin; but the
 * languages of its user always, as Node's own `fetch` does, which on the other hand sends Sec-Fetch-Mode.
 */
function isOfBrowser({ headers }: FastifyRequest): boolean {
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) return true;
  return headers['accept-language'] !== undefined && headers['sec-fetch-mode'] === undefined;
}

/**
 * A hook for a demo, whose credentials are public: a page whose name has come to mean this machine (DNS rebinding) is its own
 * origin, so what tells it from our own is the name under which it calls.
 * @param publicUrl PUBLIC_URL
 * @throws Failure FORBIDDEN for what a browser sends under a name that is neither loopback's nor that of PUBLIC_URL, nor a
 *   version's below one of them
 */
function refuseForeignHost(publicUrl: string | undefined) {
  const published = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
  const isOwn = (host: unknown) => {
    const name = NAME_AND_PORT.exec(String(host))?.[1]?.toLowerCase() ?? '';
    return [name, name.replace(/^v\d+\./, '')].some((one) => isLoopbackHost(one) || one === published);
  };
  return (request: FastifyRequest): void => {
    if (!isOfBrowser(request)) return;
    // Of HTTP/2 the one that stands in place of the other; both, where both are there.
    const { host, ':authority': authority = host } = request.headers;
    if (![host ?? authority, authority].every(isOwn)) {
      throw new Failure('FORBIDDEN', 'A browser may call a demo as localhost or by the host of PUBLIC_URL only.');
    }
  };
}
