// The scripts of the pages: the session bar, the API reference, and GraphiQL.

// Logs in with a cookie, so no script can read the token, and the WebSocket of the page is authenticated as well. The cookie of the
// opaque flow lasts as long as the session. A login or logout reloads the page, because its content belongs to the previous caller.
async function showSession(bar) {
  const [form, leave, status] = ['form', '.leave', 'output'].map((name) => bar.querySelector(name));
  const people = [...bar.querySelectorAll('[data-email]')];

  async function send(path, body) {
    const json = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(path, { method: 'POST', ...json });
    const text = await response.text();
    if (!response.ok) throw new Error(JSON.parse(text).detail);
  }
  async function change(act) {
    try {
      await act();
      location.reload();
    } catch (error) {
      status.textContent = error.message;
      form.hidden = false;
    }
  }
  const response = await fetch('/docs/session');
  const person = response.ok ? await response.json() : null;
  const logout = () => send(bar.dataset.logout);
  const login = (email, password) =>
    change(async () => {
      // The browser remembers the cookie of one session only.
      if (person) await logout();
      await send(bar.dataset.login, { email, password, flow: 'opaque', cookie: true });
    });

  for (const button of people) {
    button.setAttribute('aria-pressed', String(button.dataset.email === person?.email));
    button.addEventListener('click', () => login(button.dataset.email, button.dataset.password));
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const { email, password } = Object.fromEntries(new FormData(form));
    login(email, password);
  });
  leave.addEventListener('click', () => change(logout));
  const isOffered = people.some((button) => button.dataset.email === person?.email);
  const name = person && !isOffered ? ` ${person.name} (${person.role})` : '';
  status.textContent = person ? `Logged in as${name}` : people.length > 0 ? 'Log in as' : '';
  leave.hidden = !person;
  if (person) form.hidden = true;
}

// Sends requests to the server of the page, because the Content-Security-Policy allows no other server.
// Preselects Basic, because it needs no token. Scalar sends a placeholder for empty fields, which `onBeforeRequest`
// removes, so that the session cookie applies.
Scalar.createApiReference('#app', {
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
    if (['Basic username:password', 'Bearer', 'Bearer YOUR_SECRET_TOKEN'].includes(sent.trim()))
      request.headers.delete('authorization');
  },
  metaData: { title: document.title },
});
function showReference() {}

// Returns a query of two fields without required arguments, with a few leaves of each.
function firstQuery(schema) {
  const { getNamedType, isLeafType, isRequiredArgument } = GraphiQL.GraphQL;
  const fieldsOf = (type) => Object.values(type.getFields()).filter(({ args }) => !args.some(isRequiredArgument));
  const fields = fieldsOf(schema.getQueryType()).flatMap(({ name, type }) => {
    const named = getNamedType(type);
    if (isLeafType(named)) return [`  ${name}`];
    const leaves = named.getFields ? fieldsOf(named).filter((field) => isLeafType(getNamedType(field.type))) : [];
    const names = leaves.slice(0, 3).map((leaf) => `    ${leaf.name}`);
    return names.length > 0 ? [[`  ${name} {`, ...names, '  }'].join('\n')] : [];
  });
  return ['{', ...fields.slice(0, 2), '}', ''].join('\n');
}

// Uses the published schema, so that completion and documentation work without a login and without introspection.
// Queries and the socket send the session cookie. Without a session bar, the headers editor supplies `Authorization`,
// which the socket reads from the payload of `connection_init`.
async function showGraphiql() {
  const url = new URL('/graphql', location.href);
  const socket = new URL(url);
  socket.protocol = url.protocol.replace('http', 'ws');
  const fetcher = GraphiQL.createFetcher({
    url: url.href,
    subscriptionUrl: socket.href,
    enableIncrementalDelivery: false,
  });
  let schema;
  try {
    const response = await fetch('/schema.graphql');
    if (response.ok) schema = GraphiQL.GraphQL.buildSchema(await response.text());
  } catch (error) {
    console.warn('The published schema could not be read; introspection is used instead.', error);
  }
  const options = {
    fetcher,
    schema,
    defaultQuery: schema && firstQuery(schema),
    defaultEditorToolsVisibility: document.querySelector('.session') ? false : 'headers',
    shouldPersistHeaders: false,
  };
  const logo = React.createElement(GraphiQL.Logo, null, ' ');
  ReactDOM.createRoot(document.getElementById('root')).render(React.createElement(GraphiQL, options, logo));
}

const bar = document.querySelector('.session');
if (document.querySelector('#app')) showReference();
if (document.querySelector('#root')) showGraphiql();
if (bar) showSession(bar);
