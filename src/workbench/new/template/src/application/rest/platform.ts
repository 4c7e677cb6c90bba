import type * as Contract from '../../../generated/operations.js';

export const getLiveness: Contract.GetLiveness = async () => ({ status: 200, body: { status: 'ok' } });

export const getReadiness: Contract.GetReadiness = async (_request, { platform }) => {
  const report = await platform.ready();
  return { status: report.status === 'unavailable' ? 503 : 200, body: report };
};

export const getMetrics: Contract.GetMetrics = async (_request, { platform }) => ({
  status: 200,
  body: await platform.metrics(),
});

export const getOpenApiYaml: Contract.GetOpenApiYaml = async (_request, { platform }) => ({
  status: 200,
  body: (await platform.document('openapiYaml')).body,
});

export const getOpenApiJson: Contract.GetOpenApiJson = async (_request, { platform }) => ({
  status: 200,
  body: (await platform.document('openapiJson')).body,
});

export const getGraphqlSchema: Contract.GetGraphqlSchema = async (_request, { platform }) => ({
  status: 200,
  body: (await platform.document('schemaGraphql')).body,
});
