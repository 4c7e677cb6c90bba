import type { FastifyInstance } from 'fastify';
import { publishAssets } from './assets.js';
import { escapeHtml } from './docs-frame.js';
import { vendored } from './vendor.js';

/**
 * Scripts, the published schema, queries and the socket all come from this origin ('self' covers ws and wss, CSP 3
 * section 6.7.2.8). The editor sets inline styles, and its fonts and icons are part of its style sheet (data:).
 */
const csp = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  'font-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The schema is the published contract, so completion and the documentation work before the reader has logged in and
 * where introspection is off. The placeholder is never sent: it would be refused as a token.
 * Headers go into `connection_init` as they are, where the socket reads `Authorization`.
 */
const startScript = `// What can be asked for without an argument: two fields, and of each a few that have no more below them.
function firstQuery(schema) {
  const { getNamedType, isLeafType, isRequiredArgument } = GraphiQL.GraphQL;
  const fieldsOf = (type) => Object.values(type.getFields()).filter(({ args }) => !args.some(isRequiredArgument));
  const asked = fieldsOf(schema.getQueryType()).flatMap(({ name, type }) => {
    const named = getNamedType(type);
    if (isLeafType(named)) return ['  ' + name];
    const leaves = named.getFields ? fieldsOf(named).filter((field) => isLeafType(getNamedType(field.type))) : [];
    return leaves.length > 0 ? [['  ' + name + ' {', ...leaves.slice(0, 3).map((leaf) => '    ' + leaf.name), '  }'].join('\\n')] : [];
  });
  return ['{', ...asked.slice(0, 2), '}', ''].join('\\n');
}
(async () => {
  const placeholder = 'Bearer PASTE-AN-ACCESS-TOKEN';
  const url = new URL('/graphql', location.href);
  const socket = new URL(url);
  socket.protocol = url.protocol.replace('http', 'ws');
  const send = GraphiQL.createFetcher({ url: url.href, subscriptionUrl: socket.href, enableIncrementalDelivery: false });
  const fetcher = (params, options = {}) => {
    const headers = { ...options.headers };
    if (headers.Authorization === placeholder) delete headers.Authorization;
    return send(params, { ...options, headers });
  };
  let schema;
  try {
    const answer = await fetch('/schema.graphql');
    if (answer.ok) schema = GraphiQL.GraphQL.buildSchema(await answer.text());
  } catch (error) {
    console.warn('The published schema could not be read; introspection is used instead.', error);
  }
  const link = (href, label) => React.createElement('a', { key: href, href }, label);
  ReactDOM.createRoot(document.getElementById('root')).render(
    React.createElement(
      GraphiQL,
      {
        fetcher,
        schema,
        defaultQuery: schema && firstQuery(schema),
        defaultHeaders: JSON.stringify({ Authorization: placeholder }, null, 2),
        defaultEditorToolsVisibility: 'headers',
        shouldPersistHeaders: false,
      },
      React.createElement(GraphiQL.Logo, null, link('/docs', 'API reference'), link('/schema.graphql', 'schema.graphql')),
    ),
  );
})();
`;

const pageStyle = `body { margin: 0; }
#root { height: 100vh; }
.graphiql-logo { display: flex; gap: 16px; }
.graphiql-logo a { font-size: 14px; white-space: nowrap; color: inherit; }
`;

const script = (content: () => Buffer) => ({ content, type: 'text/javascript; charset=utf-8' });
const style = (content: () => Buffer) => ({ content, type: 'text/css; charset=utf-8' });

const { href, mount } = publishAssets('/graphql/assets', {
  'react.js': script(() => vendored('react.js')),
  'react-dom.js': script(() => vendored('react-dom.js')),
  'graphiql.js': script(() => vendored('graphiql.js')),
  'start.js': script(() => Buffer.from(startScript)),
  'graphiql.css': style(() => vendored('graphiql.css')),
  'page.css': style(() => Buffer.from(pageStyle)),
});

/** The page for `GET /graphql` from a browser, under the title of the application, and the `Content-Security-Policy` to send with it. */
export function graphiqlPage(title: string): { html: string; csp: string } {
  const styles = ['graphiql.css', 'page.css'].map((name) => `<link rel="stylesheet" href="${href(name)}">`);
  const scripts = ['react.js', 'react-dom.js', 'graphiql.js', 'start.js'].map(
    (name) => `<script src="${href(name)}"></script>`,
  );
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GraphiQL: ${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
${styles.join('\n')}
</head>
<body>
<div id="root"></div>
<noscript><p>GraphiQL needs JavaScript. The schema itself is <a href="/schema.graphql">schema.graphql</a>.</p></noscript>
${scripts.join('\n')}
</body>
</html>
`;
  return { html, csp };
}

/** Registers the files that the page loads, below `/graphql/assets`. */
export async function graphiqlAssets(app: FastifyInstance): Promise<void> {
  mount(app);
}
