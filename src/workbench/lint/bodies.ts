import { resolveReference } from '@accord-api/platform/contract/references';
import type { Rest, RestFlaw, RestRule } from './rule.js';

/** Methods in whose requests a body means nothing (RFC 9110, 9.3.1, 9.3.2 and 9.3.8). */
const WITHOUT_REQUEST_BODY = new Set(['get', 'head', 'trace']);
/** Statuses whose answers end with their headers (RFC 9110, 6.4.1 and 15.3.6). */
const WITHOUT_CONTENT = /^(1\d\d|1XX|204|205|304)$/;

const bodiesOfReads = ({ elements }: Rest): RestFlaw[] =>
  elements.flatMap(({ kind, path, object }) => {
    const method = String(path.at(-1));
    if (kind !== 'operation' || object.requestBody === undefined || !WITHOUT_REQUEST_BODY.has(method)) return [];
    const message = `A ${method.toUpperCase()} takes no body: say it by parameters, or make it a POST.`;
    return [{ path: [...path, 'requestBody'], onKey: true, message }];
  });

const hasContent = (source: unknown, response: { $ref?: string; content?: object } = {}): boolean =>
  response.$ref === undefined
    ? Object.keys(response.content ?? {}).length > 0
    : hasContent(source, resolveReference(source, response.$ref) as typeof response);

const contentsOfNothing = ({ source, elements }: Rest): RestFlaw[] =>
  elements.flatMap(({ kind, path, object }) => {
    if (kind !== 'operation') return [];
    return Object.keys(object.responses ?? {})
      .filter((status) => WITHOUT_CONTENT.test(status) && hasContent(source, object.responses[status]))
      .map((status) => ({
        path: [...path, 'responses', status],
        onKey: true,
        message: `An answer ${status} has no content: take it out, or answer another status.`,
      }));
  });

export const BODY_RULES: RestRule[] = [
  {
    name: 'request-body-meaningless',
    why: 'Clients, proxies and servers drop the body of a GET, each in its own way; browsers refuse to send it.',
    check: bodiesOfReads,
  },
  {
    name: 'response-content-impossible',
    why: 'HTTP ends such an answer with its headers, so that a client which waits for what is promised gets nothing.',
    check: contentsOfNothing,
  },
];
