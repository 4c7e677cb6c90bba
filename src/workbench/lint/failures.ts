import { resolveReference } from '@accord-api/platform/contract/references';
import type { Rest, RestFlaw, RestRule } from './rule.js';

type Content = Record<string, { schema?: unknown }>;

function contentOf(source: unknown, response: { $ref?: string; content?: Content }): Content {
  const { $ref, content = {} } = response;
  return $ref === undefined ? content : contentOf(source, resolveReference(source, $ref) as typeof response);
}

const bodiless = ({ source, elements }: Rest): RestFlaw[] =>
  elements.flatMap(({ kind, path, object }) => {
    if (kind !== 'operation') return [];
    const failures = Object.keys(object.responses ?? {}).filter((status) => /^[45]/.test(status));
    return failures
      .filter((status) => {
        const media = Object.values(contentOf(source, object.responses[status]));
        return media.length === 0 || media.some(({ schema }) => schema === undefined);
      })
      .map((status) => ({
        // A key of the response itself, so that one which operations share is told once, where it stands.
        path: [...path, 'responses', status, 'description'],
        onKey: true,
        message: 'A failure needs a body with a schema, to say what was wrong.',
      }));
  });

const unfailing = ({ operations }: Rest): RestFlaw[] =>
  operations.flatMap(({ operationId, operation, at }) =>
    Object.keys(operation.responses ?? {}).some((status) => /^(4|default$)/.test(status))
      ? []
      : { path: [...at, 'responses'], onKey: true, message: `${operationId} declares no failure (4xx).` },
  );

export const FAILURE_RULES: RestRule[] = [
  {
    name: 'failure-declared',
    why: 'No request is always right, and a client that is told of no failure handles none.',
    check: unfailing,
  },
  {
    name: 'error-body',
    why: 'Without a body a client cannot tell apart the reasons that one status has, and shows its user nothing.',
    check: bodiless,
  },
];
