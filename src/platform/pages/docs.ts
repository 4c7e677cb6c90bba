import type { FastifyInstance } from 'fastify';
import { type Asset, type Assets, publishAssets } from './assets.js';
import { type CatalogueEntry, errorsPage } from './docs-errors.js';
import { type FrameOptions, pageHead, pageIcon, pageLinks, pageStyle } from './docs-frame.js';
import { statusPage } from './docs-status.js';
import type { StatusEntry } from './status-table.js';
import { vendored } from './vendor.js';

/** What the pages need to know of the service. */
interface DocsOptions {
  /** The error catalogue, in the order in which it is to be shown. */
  errors: readonly CatalogueEntry[];
  /** What becomes of each status. */
  statuses: readonly StatusEntry[];
  /** Of the application, as plain text. */
  title: string;
  /** Whether `GET /graphql` shows GraphiQL to a browser, and so deserves a link. Default true. */
  graphiql?: boolean;
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

/**
 * Calls go to the server that showed the page, whatever `servers` the contract names: the policy admits no other.
 * Basic is preselected because a reader can log in with it at once, without a token to copy. While its fields are empty
 * the page would send a placeholder; without it, the cookies of a login with `cookie: true` are what counts.
 */
const startScript = (title: string) => `Scalar.createApiReference('#app', {
  url: '/openapi.json',
  servers: [{ url: location.origin, description: 'This server' }],
  authentication: { preferredSecurityScheme: 'basicAuth' },
  persistAuth: false,
  proxyUrl: '',
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  agent: { disabled: true },
  showDeveloperTools: 'never',
  documentDownloadType: 'none',
  showOperationId: true,
  orderSchemaPropertiesBy: 'preserve',
  onBeforeRequest({ request }) {
    const sent = request.headers.get('authorization') ?? '';
    if (['Basic username:password', 'Bearer', 'Bearer YOUR_SECRET_TOKEN'].includes(sent.trim())) request.headers.delete('authorization');
  },
  metaData: { title: '${title.replaceAll(/[\\']/g, '\\$&')} API reference' },
});
`;

/** Built once for the process and a title: several instances (tests) share the bytes and their compressed form. */
const assets = new Map<string, Assets>();

function docsAssets(title: string): Assets {
  const known = assets.get(title);
  if (known) return known;
  const text = (content: string, type: string): Asset => ({ content: () => Buffer.from(content), type });
  const made = publishAssets('/docs/assets', {
    'reference.js': { content: () => vendored('reference.js'), type: 'text/javascript; charset=utf-8' },
    'start.js': text(startScript(title), 'text/javascript; charset=utf-8'),
    'icon.svg': text(pageIcon, 'image/svg+xml'),
    'page.css': text(pageStyle, 'text/css; charset=utf-8'),
  });
  assets.set(title, made);
  return made;
}

const frame = ({ href }: Assets) => ({ style: href('page.css'), icon: href('icon.svg') });

function referencePage(assets: Assets, options: FrameOptions): string {
  return `${pageHead(`${options.title} API reference`, frame(assets))}
<body>
${pageLinks('/docs', options)}
<div id="app"></div>
<noscript><p>The reference needs JavaScript. The contract itself is <a href="/openapi.yaml">openapi.yaml</a>.</p></noscript>
<script src="${assets.href('reference.js')}"></script>
<script src="${assets.href('start.js')}"></script>
</body>
</html>
`;
}

/**
 * `GET /docs`: the API reference, read from `/openapi.json`. `GET /docs/errors`: the error catalogue, whose anchors
 * are the codes, so that a problem's `type` (RFC 9457, section 3.1.1) leads to its explanation. `GET /docs/status`: where
 * each HTTP status is sent.
 * The package's own plugin is not registered: it redirects to `/docs/`, where this service has no trailing slashes,
 * and starts itself by an inline script. Its bundle is what is used.
 */
export async function docs(
  app: FastifyInstance,
  { errors, statuses, title, graphiql = true }: DocsOptions,
): Promise<void> {
  const files = docsAssets(title);
  const options = { title, graphiql };
  files.mount(app);
  const pages = {
    '/docs': { make: () => referencePage(files, options), csp: DOCS_CSP },
    '/docs/errors': { make: () => errorsPage(errors, frame(files), options), csp: ERRORS_CSP },
    '/docs/status': { make: () => statusPage(statuses, frame(files), options), csp: ERRORS_CSP },
  };
  // What a browser will ask for next, told before the page itself (RFC 8297): over HTTP/2 only, as browsers take it. Clients
  // of HTTP/1.1 that know no informational answers take them for the answer.
  const hints = [`<${frame(files).style}>; rel=preload; as=style`];
  for (const [path, { make, csp }] of Object.entries(pages)) {
    let html: string | undefined;
    app.get(path, async ({ raw }, reply) => {
      html ??= make();
      if (raw.httpVersionMajor === 2) reply.writeEarlyHints({ link: hints });
      return reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', csp)
        .header('cache-control', 'no-cache')
        .send(html);
    });
  }
}
