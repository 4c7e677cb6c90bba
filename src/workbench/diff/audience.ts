import type { Reported } from './report.js';

/** Whom a change is for, by the rule that judged it: the first that fits. */
const AUDIENCES: readonly (readonly [rules: RegExp, audience: string])[] = [
  [/^database-/, 'Whoever runs the service: its database'],
  [/permission-/, 'Roles: who may do what'],
  [/^graphql-enum-value-added$|^graphql-(union|object-type-interface)/, 'GraphQL clients that read'],
  [/^graphql-(request|input|field-argument)/, 'GraphQL clients that send'],
  [/^graphql-/, 'GraphQL clients'],
  [/^(security|scopes|scheme|flow|scope|hint)-/, 'Whoever logs in'],
  [/^(operation-id|tag|schema-name|unused-schema)-/, 'Generated clients'],
  [/^(response|status|header|link)-/, 'REST clients that read answers'],
  [/^(request|parameter|body|media|style|explode|allow)-/, 'REST clients that send requests'],
  [/^(webhook|callback)-/, 'Whoever takes webhooks and callbacks'],
  [/^(severity|extension|unjudged)/, 'Whoever reviews the contracts'],
];

/** Whom a change is for, in a few words. */
export const audienceOf = ({ rule }: Pick<Reported, 'rule'>): string =>
  AUDIENCES.find(([rules]) => rules.test(rule))?.[1] ?? 'REST clients';
