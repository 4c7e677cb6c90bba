import type * as Contract from '../../../generated/operations.js';

export const getRoot: Contract.GetRoot = async () => ({ status: 302, headers: { location: '/docs' } });

export const getLiveness: Contract.GetLiveness = async () => ({ status: 200, headers: {}, body: { status: 'ok' } });

export const getReadiness: Contract.GetReadiness = async (_request, { platform }) => {
  const report = await platform.ready();
  const status = report.status === 'unavailable' ? 503 : 200;
  return { status, headers: {}, body: report };
};

export const getMetrics: Contract.GetMetrics = async (_request, { platform }) => ({
  status: 200,
  headers: {},
  body: await platform.metrics(),
});

export const getOpenApiYaml: Contract.GetOpenApiYaml = async ({ query }, { platform }) => ({
  status: 200,
  ...(await platform.document('openapiYaml', query.release)),
});

export const getOpenApiJson: Contract.GetOpenApiJson = async ({ query }, { platform }) => ({
  status: 200,
  ...(await platform.document('openapiJson', query.release)),
});

export const getOpenApi30Json: Contract.GetOpenApi30Json = async ({ query }, { platform }) => ({
  status: 200,
  ...(await platform.document('openapi30Json', query.release)),
});

export const getGraphqlSchema: Contract.GetGraphqlSchema = async ({ query }, { platform }) => ({
  status: 200,
  ...(await platform.document('schemaGraphql', query.release)),
});

export const getGraphqlIntrospection: Contract.GetGraphqlIntrospection = async ({ query }, { platform }) => ({
  status: 200,
  ...(await platform.document('schemaJson', query.release)),
});
