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
(async () => {
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
    const answer = await fetch('/schema.graphql');
    if (answer.ok) schema = GraphiQL.GraphQL.buildSchema(await answer.text());
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
})();
