import * as Contract from '../../../generated/operations.js';

export const platform = Contract.platformHandlers({
  getRoot: async (_request, { accepts, prefix }) => {
    if (accepts(['text/html', 'application/json']) !== 'application/json')
      return { status: 302, headers: { location: '/docs' } };
    const _links = {
      self: { href: '/' },
      'service-doc': { href: '/docs' },
      'service-desc': { href: '/openapi.json' },
      status: { href: '/readyz' },
      users: { href: `${prefix}/users` },
      graphql: { href: '/graphql' },
    };
    return { status: 200, headers: {}, body: { _links } };
  },

  getLiveness: async () => ({ status: 200, headers: {}, body: { status: 'ok' } }),

  getReadiness: async (_request, { platform }) => {
    const report = await platform.ready();
    const status = report.status === 'unavailable' ? 503 : 200;
    return { status, headers: {}, body: report };
  },

  getMetrics: async (_request, { platform }) => ({
    status: 200,
    headers: {},
    body: await platform.metrics(),
  }),

  getOpenApiYaml: async ({ query }, { platform }) => ({
    status: 200,
    ...(await platform.document('openapiYaml', query.release)),
  }),

  getOpenApiJson: async ({ query }, { platform }) => ({
    status: 200,
    ...(await platform.document('openapiJson', query.release)),
  }),

  getGraphqlSchema: async ({ query }, { platform }) => ({
    status: 200,
    ...(await platform.document('schemaGraphql', query.release)),
  }),

  getGraphqlIntrospection: async ({ query }, { platform }) => ({
    status: 200,
    ...(await platform.document('schemaJson', query.release)),
  }),
});
