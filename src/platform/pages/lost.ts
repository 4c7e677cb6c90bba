import type { Failure } from '../calls/errors.js';
import { escapeHtml } from './escape-html.js';
import { type FrameFiles, type FrameOptions, pageHead, pageTop, sessionScripts } from './page-frame.js';

/** What a person reads who has opened an address where nothing is, or that is for who is known only. */
export function lostPage({ code, status, title, message }: Failure, files: FrameFiles, frame: FrameOptions): string {
  const hint =
    status === 401 && frame.session
      ? '<p>Log in above, and it is shown here.</p>'
      : '<p>What there is, the <a href="/docs">API reference</a> tells.</p>';
  return `${pageHead(`${status} ${title}`, files)}
<body>
${pageTop('', frame)}
<main class="catalogue">
<h1>${status} ${escapeHtml(title)}</h1>
<p>${escapeHtml(message)} (<a href="/docs/errors#${escapeHtml(code)}"><code>${escapeHtml(code)}</code></a>)</p>
${hint}
</main>
${sessionScripts(files, frame)}
</body>
</html>
`;
}
