import { type Asset, type Assets, publishAssets } from './assets.js';
import { type FrameFiles, pageIcon, pageStyle } from './page-frame.js';
import { sessionScript } from './session-bar.js';
import { vendored } from './vendor.js';

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

/** The files of the documentation of an application with this title, below `/docs/assets`. */
export function docsAssets(title: string): Assets {
  const known = assets.get(title);
  if (known) return known;
  const text = (content: string, type: string): Asset => ({ content: () => Buffer.from(content), type });
  const made = publishAssets('/docs/assets', {
    'reference.js': { content: () => vendored('reference.js'), type: 'text/javascript; charset=utf-8' },
    'start.js': text(startScript(title), 'text/javascript; charset=utf-8'),
    'session.js': text(sessionScript, 'text/javascript; charset=utf-8'),
    'icon.svg': text(pageIcon, 'image/svg+xml'),
    'page.css': text(pageStyle, 'text/css; charset=utf-8'),
  });
  assets.set(title, made);
  return made;
}

/** Of these, what every page shows. */
export const frameFiles = ({ href }: Assets): FrameFiles => ({
  style: href('page.css'),
  icon: href('icon.svg'),
  session: href('session.js'),
});
