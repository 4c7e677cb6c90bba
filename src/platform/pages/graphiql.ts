import type { FastifyInstance } from 'fastify';
import { publishAssets } from './assets.js';
import { docsAssets, frameFiles } from './docs-assets.js';
import { type FrameOptions, pageHead, pageTop, sessionScripts } from './page-frame.js';
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
 * where introspection is off. Queries and the socket come with the cookie of the bar; headers are for a contract without one, and
 * go into `connection_init` as they are, where the socket reads `Authorization`.
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
  const url = new URL('/graphql', location.href);
  const socket = new URL(url);
  socket.protocol = url.protocol.replace('http', 'ws');
  const fetcher = GraphiQL.createFetcher({ url: url.href, subscriptionUrl: socket.href, enableIncrementalDelivery: false });
  let schema;
  try {
    const answer = await fetch('/schema.graphql');
    if (answer.ok) schema = GraphiQL.GraphQL.buildSchema(await answer.text());
  } catch (error) {
    console.warn('The published schema could not be read; introspection is used instead.', error);
  }
  ReactDOM.createRoot(document.getElementById('root')).render(
    React.createElement(
      GraphiQL,
      {
        fetcher,
        schema,
        defaultQuery: schema && firstQuery(schema),
        defaultEditorToolsVisibility: document.querySelector('.session') ? false : 'headers',
        shouldPersistHeaders: false,
      },
      React.createElement(GraphiQL.Logo, null, ' '),
    ),
  );
})();
`;

const pageStyle = `body { margin: 0; }
#root { height: calc(100vh - 44px); }
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

/** The page for `GET /graphql` from a browser, and the `Content-Security-Policy` to send with it. */
export function graphiqlPage(frame: FrameOptions): { html: string; csp: string } {
  const styles = ['graphiql.css', 'page.css'].map((name) => `<link rel="stylesheet" href="${href(name)}">`);
  const scripts = ['react.js', 'react-dom.js', 'graphiql.js', 'start.js'].map(
    (name) => `<script src="${href(name)}"></script>`,
  );
  const files = frameFiles(docsAssets(frame.title));
  const html = `${pageHead(`GraphiQL: ${frame.title}`, files, styles)}
<body>
${pageTop('/graphql', frame)}
<div id="root"></div>
<noscript><p>GraphiQL needs JavaScript. The schema itself is <a href="/schema.graphql">schema.graphql</a>.</p></noscript>
${scripts.join('\n')}
${sessionScripts(files, frame)}
</body>
</html>
`;
  return { html, csp };
}

/** Registers the files that the page loads, below `/graphql/assets`. */
export async function graphiqlAssets(app: FastifyInstance): Promise<void> {
  mount(app);
}
