import type { Mutant } from './mutant.js';

/** REST, HTTP, limits, start and stop, and the checks of the contracts at the start. */
export const rest: Mutant[] = [
  {
    file: 'platform/core/http/strict-json.ts',
    before: 'stack.length === MAX_DEPTH',
    after: 'stack.length === MAX_DEPTH + 1',
    tests: ['core/http/validation.test.ts'],
    drawn: true,
  },
  {
    file: 'platform/core/contract/openapi.ts',
    before: "forms.get(contentType) ?? forms.get(matchMediaType(declared, contentType) ?? '')",
    after: 'forms.get(contentType)',
    tests: ['core/http/bodies.test.ts'],
    drawn: true,
  },
  {
    file: 'platform/core/rest/plugin.ts',
    before: "if (form.kind === 'unsupported') problems",
    after: "if (form.kind === 'unsupported' && one.in !== 'header') problems",
    tests: ['core/rest/parameters.test.ts'],
    drawn: true,
  },
  {
    file: 'platform/core/rest/plugin.ts',
    before: ', ...otherNames(operation, names)',
    after: '',
    tests: ['core/http/name.test.ts'],
    drawn: true,
  },
  {
    file: 'platform/core/operations/check.ts',
    before: "decides === 'self' && !reaches.some(([, reach]) => reach === 'any')",
    after: "decides === 'self'",
    tests: ['core/operations/route-check.test.ts'],
    drawn: true,
  },
  {
    file: 'platform/core/operations/model.ts',
    before: 'position.column}: ',
    after: 'position.line}: ',
    tests: ['core/operations/route-check.test.ts'],
    drawn: true,
  },
  {
    file: 'platform/core/contract/document.ts',
    before: "!reference.startsWith('#/') || target === undefined",
    after: "!reference.startsWith('#/')",
    tests: ['core/contract/openapi.test.ts'],
    drawn: true,
  },
  {
    file: 'platform/server/app.ts',
    before: 'expandVersions(normaliseOpenApi(contracts.openapi))',
    after: 'normaliseOpenApi(contracts.openapi)',
    tests: ['parts/versions/versions.test.ts'],
    drawn: true,
  },
  {
    file: 'platform/core/contract/published.ts',
    before: 'servers.filter(({ server }) => server.url !== address)',
    after: 'servers',
    tests: ['workbench/edition.test.ts'],
    drawn: true,
  },

  {
    file: 'platform/parts/limits/rate-limit.ts',
    before: ', limit, operations)',
    after: ', limit, cost)',
    tests: ['parts/limits/rate-limit.test.ts'],
  },
  {
    file: 'platform/parts/limits/rate-limit.ts',
    before: 'anonymous, cost)',
    after: 'limit, cost)',
    tests: ['parts/limits/rate-limit.test.ts'],
  },
  {
    file: 'platform/parts/limits/rate-limit.ts',
    before: 'Math.max(1, Math.ceil(ttl / 1000))',
    after: 'Math.max(1, Math.floor(ttl / 1000))',
    tests: ['parts/limits/rate-limit.test.ts'],
  },
  {
    file: 'platform/parts/limits/admission.ts',
    before: '    shed += 1;\n',
    after: '',
    tests: ['parts/limits/overload.test.ts', 'parts/observability/health.test.ts'],
    drawn: true,
  },
  {
    file: 'platform/parts/limits/admission.ts',
    before: 'isSustained() ? sustained : burst',
    after: 'isSustained() ? burst : sustained',
    tests: ['parts/limits/overload.test.ts'],
  },

  {
    file: 'platform/core/rest/plan.ts',
    before: 'isRead ? unstorableText(request.body) : NO_ISSUES',
    after: 'NO_ISSUES',
    tests: ['core/http/validation.test.ts'],
    drawn: true,
  },
];
