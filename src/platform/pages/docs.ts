import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Failure } from '../calls/errors.js';
import type { Assets } from './assets.js';
import { docsAssets, frameFiles } from './docs-assets.js';
import { type CatalogueEntry, errorsPage } from './docs-errors.js';
import { statusPage } from './docs-status.js';
import { lostPage } from './lost.js';
import { type FrameOptions, pageHead, pageTop, sessionScripts } from './page-frame.js';
import { SESSION_PATH } from './session-bar.js';
import type { StatusEntry } from './status-table.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Answers a failure to a person, in the frame of the documentation; status and headers of the failure are the caller's. */
    sendLostPage: (failure: Failure, reply: FastifyReply) => FastifyReply;
  }
}

const HTML = 'text/html; charset=utf-8';

/** What the pages need to know of the service. */
interface DocsOptions {
  /** The error catalogue, in the order in which it is to be shown. */
  errors: readonly CatalogueEntry[];
  /** What becomes of each status. */
  statuses: readonly StatusEntry[];
  frame: FrameOptions;
  /** Who an account belongs to. */
  person: (id: number) => Promise<{ name: string; email: string } | null>;
}

/**
 * The reference runs one bundle and one start file, both ours, and speaks to this origin alone.
 * Inline styles are allowed because its components set them; fonts and pictures may be part of a style sheet (data:).
 */
const DOCS_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The catalogue is plain HTML: a style sheet and its icon are all it may load. */
const ERRORS_CSP =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Where somebody may log in besides. */
const LOST_CSP = `${ERRORS_CSP}; script-src 'self'; connect-src 'self'`;

function referencePage(assets: Assets, options: FrameOptions): string {
  return `${pageHead(`${options.title} API reference`, frameFiles(assets))}
<body>
${pageTop('/docs', options)}
<div id="app"></div>
<noscript><p>The reference needs JavaScript. The contract itself is <a href="/openapi.yaml">openapi.yaml</a>.</p></noscript>
<script src="${assets.href('reference.js')}"></script>
<script src="${assets.href('start.js')}"></script>
${sessionScripts(frameFiles(assets), options)}
</body>
</html>
`;
}

/**
 * `GET /docs`: the API reference, read from `/openapi.json`. `GET /docs/errors`: the error catalogue, whose anchors
 * are the codes, so that a problem's `type` (RFC 9457, section 3.1.1) leads to its explanation. `GET /docs/status`: where
 * each HTTP status is sent. `GET /docs/session`: who is logged in, for the bar of the pages.
 * The package's own plugin is not registered: it redirects to `/docs/`, where this service has no trailing slashes,
 * and starts itself by an inline script. Its bundle is what is used.
 */
export const docs = fp<DocsOptions>(
  async (app, { errors, statuses, frame, person }) => {
    const assets = docsAssets(frame.title);
    assets.mount(app);
    const pages = {
      '/docs': { make: () => referencePage(assets, frame), csp: DOCS_CSP },
      '/docs/errors': { make: () => errorsPage(errors, frameFiles(assets), frame), csp: ERRORS_CSP },
      '/docs/status': { make: () => statusPage(statuses, frameFiles(assets), frame), csp: ERRORS_CSP },
    };
    // What a browser will ask for next, told before the page itself (RFC 8297): over HTTP/2 only, as browsers take it. Clients
    // of HTTP/1.1 that know no informational answers take them for the answer.
    const hints = [`<${frameFiles(assets).style}>; rel=preload; as=style`];
    for (const [path, { make, csp }] of Object.entries(pages)) {
      let html: string | undefined;
      app.get(path, async ({ raw }, reply) => {
        html ??= make();
        if (raw.httpVersionMajor === 2) reply.writeEarlyHints({ link: hints });
        return reply.type(HTML).header('content-security-policy', csp).header('cache-control', 'no-cache').send(html);
      });
    }
    if (frame.session) app.get(SESSION_PATH, answerSession(app, person));

    app.decorate('sendLostPage', (failure, reply) =>
      reply
        .type(HTML)
        .header('content-security-policy', LOST_CSP)
        .send(lostPage(failure, frameFiles(assets), frame)),
    );
  },
  { name: 'docs', dependencies: ['authenticate'] },
);

/** Answers whose cookie a page's requests come with, or null. */
const answerSession =
  (app: FastifyInstance, person: DocsOptions['person']) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const holds = request.cookies[app.names.accessCookie] !== undefined;
    const actor = holds ? await app.identify(request) : null;
    const found = actor?.mechanism === 'cookieAuth' ? await person(actor.id) : null;
    const told = found && { name: found.name, email: found.email, role: actor?.role.toLowerCase() };
    return reply
      .type('application/json')
      .header('cache-control', 'no-store')
      .send(JSON.stringify(told ?? null));
  };
