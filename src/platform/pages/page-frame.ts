import { escapeHtml } from './escape-html.js';
import { type SessionBar, sessionBar, sessionStyle } from './session-bar.js';

/** Addresses of the files that every page of the documentation shows. */
export interface FrameFiles {
  style: string;
  icon: string;
  /** The script of the bar by which people log in. */
  session: string;
}

/** What all pages say of the service. */
export interface FrameOptions {
  /** Of the application, as plain text. */
  title: string;
  /** Whether `GET /graphql` shows GraphiQL to a browser, and so deserves a link. */
  graphiql: boolean;
  /** How people log in on the pages; undefined where the contract lets no browser hold a session. */
  session: SessionBar | undefined;
}

/** Everything before `<body>`; `title` is plain text, `links` are elements of a page's own. */
export function pageHead(title: string, { style, icon }: FrameFiles, links: readonly string[] = []): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${icon}">
${links.join('\n')}
<link rel="stylesheet" href="${style}">
</head>`;
}

/** The links among the pages and contracts, for a page without scripts; `current` is the path of the page that shows them. */
export const pageLinks = (current: string, frame: FrameOptions): string => navigation(current, frame, '');

/** The same with the bar by which people log in; `sessionScripts` belongs to it. */
export const pageTop = (current: string, frame: FrameOptions): string =>
  navigation(current, frame, frame.session ? sessionBar(frame.session) : '');

/** To be put behind all that it is about. */
export const sessionScripts = (files: FrameFiles, { session }: FrameOptions): string =>
  session ? `<script src="${files.session}"></script>` : '';

function navigation(current: string, { title, graphiql }: FrameOptions, bar: string): string {
  const links: [string, string][] = [
    ['/docs', 'API reference'],
    ['/docs/errors', 'Error catalogue'],
    ['/docs/status', 'Status codes'],
    ...(graphiql ? [['/graphql', 'GraphiQL'] satisfies [string, string]] : []),
    ['/openapi.yaml', 'openapi.yaml'],
    ['/schema.graphql', 'schema.graphql'],
  ];
  const items = links.map(
    ([href, label]) => `<a href="${href}"${href === current ? ' aria-current="page"' : ''}>${label}</a>`,
  );
  return `<nav class="pages" aria-label="Documentation"><strong>${escapeHtml(title)}</strong><span class="links">${items.join('')}</span>${bar}</nav>`;
}

/**
 * Scoped to what is ours: the reference has elements of its own on the same page.
 * It sets its colours as custom properties on the body; the catalogue has none and takes the fallbacks.
 */
export const pageStyle = `:root { color-scheme: light dark; --scalar-custom-header-height: 44px; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; }
nav.pages { position: sticky; top: 0; z-index: 100; box-sizing: border-box; height: 44px; padding: 0 16px;
  display: flex; align-items: center; gap: 14px; overflow: auto hidden; scrollbar-width: none; white-space: nowrap;
  font: 14px/1 system-ui, sans-serif;
  color: var(--scalar-color-1, CanvasText); background: var(--scalar-background-1, Canvas);
  border-bottom: 1px solid var(--scalar-border-color, color-mix(in srgb, CanvasText 20%, Canvas)); }
nav.pages .links { display: flex; gap: 14px; overflow-x: auto; line-height: 44px; scrollbar-width: none; }
nav.pages a { color: inherit; opacity: .75; text-decoration: none; }
nav.pages a:hover { opacity: 1; text-decoration: underline; }
nav.pages a[aria-current] { opacity: 1; font-weight: 600; }
${sessionStyle}.catalogue { max-width: 60rem; margin: 0 auto; padding: 1.5rem 20px 4rem; }
.catalogue table { width: 100%; border-collapse: collapse; }
.catalogue :is(th, td) { padding: .6rem .8rem; text-align: left; vertical-align: top;
  border-bottom: 1px solid color-mix(in srgb, CanvasText 15%, Canvas); }
.catalogue tr { scroll-margin-top: 52px; }
.catalogue tr:target { background: color-mix(in srgb, Highlight 25%, Canvas); }
.catalogue td a { color: inherit; text-decoration: none; }
.catalogue td a:hover { text-decoration: underline; }
.catalogue code { font: .9em ui-monospace, monospace; }
`;

/** Two strokes that meet. Without an icon of its own a page makes the browser ask for `/favicon.ico`. */
export const pageIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">
<rect width="16" height="16" rx="3" fill="#2457c5"/>
<path d="M4 12 8 4l4 8M5.5 9.5h5" fill="none" stroke="#fff" stroke-width="1.6"/>
</svg>
`;
