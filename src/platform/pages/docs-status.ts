import { escapeHtml } from './escape-html.js';
import { type FrameFiles, type FrameOptions, pageHead, pageLinks } from './page-frame.js';
import type { StatusEntry } from './status-table.js';

const codeSpans = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

const row = ({ code, name, sent, text }: StatusEntry): string =>
  `<tr id="${code}"><td><a href="#${code}"><code>${code}</code></a></td><td>${escapeHtml(name)}</td><td>${sent ? '' : '<strong>Never.</strong> '}${codeSpans(text)}</td></tr>`;

/** Where each HTTP status is sent, or why it never is, as a page of HTML without scripts. */
export function statusPage(statuses: readonly StatusEntry[], files: FrameFiles, frame: FrameOptions): string {
  return `${pageHead(`${frame.title} status codes`, files)}
<body>
${pageLinks('/docs/status', frame)}
<main class="catalogue">
<h1>Status codes</h1>
<p>Where the REST side sends each HTTP status, or why it never does. GraphQL answers 200 always and carries the status in <code>extensions.statusCode</code>. The codes of failures are in the <a href="/docs/errors">error catalogue</a>.</p>
<table>
<thead><tr><th scope="col">Status</th><th scope="col">Name</th><th scope="col">Where</th></tr></thead>
<tbody>
${statuses.map(row).join('\n')}
</tbody>
</table>
</main>
</body>
</html>
`;
}
