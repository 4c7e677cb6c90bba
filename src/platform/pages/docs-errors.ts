import { escapeHtml } from './escape-html.js';
import { type FrameFiles, type FrameOptions, pageHead, pageLinks } from './page-frame.js';

/** One kind of failure, as REST (`code`, `status`) and GraphQL (`extensions.code`, `statusCode`) report it. */
export interface CatalogueEntry {
  /** Stable name, and the anchor of the entry: `NOT_FOUND`. */
  code: string;
  /** HTTP status code. */
  status: number;
  /** Short summary that does not vary (the problem's `title`). */
  title: string;
  /** What it means and what a caller can do, as plain text. */
  description: string;
}

/** The catalogue as a page of HTML without scripts; each row's `id` is the code that it explains. */
export function errorsPage(errors: readonly CatalogueEntry[], files: FrameFiles, frame: FrameOptions): string {
  const rows = errors.map(({ code, status, title, description }) => {
    const id = escapeHtml(code);
    return `<tr id="${id}"><td><a href="#${id}"><code>${id}</code></a></td><td>${status}</td><td><strong>${escapeHtml(title)}</strong><br>${escapeHtml(description)}</td></tr>`;
  });
  return `${pageHead(`${frame.title} error catalogue`, files)}
<body>
${pageLinks('/docs/errors', frame)}
<main class="catalogue">
<h1>Error catalogue</h1>
<p>A failed REST request answers <code>application/problem+json</code> with the code in <code>code</code> and the address of its row here in <code>type</code>. A failed GraphQL field carries the same code in <code>extensions.code</code> and the status in <code>extensions.statusCode</code>.</p>
<table>
<thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</main>
</body>
</html>
`;
}
