import { PREDICATES, SELECTORS } from './defaults.js';
import type { ElementKind } from './elements.js';
import { DOCUMENTED_PARTS } from './part-documents.js';

/** An extension of OpenAPI (`x-…`) that Accord reads. */
interface Extension {
  /** The kinds of objects that may have it. */
  on: readonly ElementKind[];
  description: string;
  schema: object;
  /** True if another rule checks the value more precisely. */
  judged?: true;
}

const text = { type: 'string', minLength: 1 };
const yes = { type: 'boolean' };
const closed = (properties: Record<string, object>, required: string[] = []) => {
  return { type: 'object', additionalProperties: false, required, properties };
};
const reason = { ...text, minLength: 10, description: 'The reason, for reviewers.' };
const reach = { enum: ['none', 'own', 'any'] };
const permission = {
  type: 'object',
  required: ['action'],
  properties: {
    action: { ...text, description: 'The name of the action, such as `users.update`. Naming it defines it.' },
    when: { ...text, description: 'The condition of a further permission, in prose.' },
  },
  additionalProperties: { ...reach, description: 'The rows that this role reaches: `none`, its `own`, or `any`.' },
};
const time = { ...text, description: 'An ISO 8601 date or time.' };
const predicate = { enum: Object.keys(PREDICATES) };
const oneOrMore = (schema: object) => ({ anyOf: [schema, { type: 'array', items: schema }] });
const reasons = { type: 'object', additionalProperties: { ...text, description: 'The reason.' } };

/** All extensions by name, for editors and for the rule `extension-shape`. */
export const EXTENSIONS: Readonly<Record<`x-${string}`, Extension>> = {
  'x-permission': {
    on: ['operation'],
    description: 'Who may call the operation: `public`, or an action and the reach of each role.',
    schema: { anyOf: [{ const: 'public' }, permission] },
    judged: true,
  },
  'x-permission-also': {
    on: ['operation'],
    description: 'Further permissions that some requests need. `when` states the condition.',
    schema: { type: 'array', items: permission },
    judged: true,
  },
  'x-deprecation': {
    on: ['operation', 'parameter', 'header', 'schema'],
    description: 'The dates of deprecation and removal, and the successor.',
    schema: {
      type: 'object',
      required: ['since', 'sunset', 'successor'],
      properties: {
        since: time,
        sunset: time,
        link: { ...text, description: 'The address of documentation. Operations require it.' },
        successor: { ...text, description: 'The successor, for an operation its operationId; or `none`.' },
      },
    },
    judged: true,
  },
  'x-last-version': {
    on: ['operation'],
    description: 'The last version with the operation, if newer versions lack it.',
    schema: { type: 'integer', minimum: 1 },
    judged: true,
  },
  'x-rate-limit': {
    on: ['operation'],
    description: '`false`: the rate limit does not count its requests.',
    schema: yes,
  },
  'x-credentials-in-body': {
    on: ['operation'],
    description: 'The body contains credentials, so the service rejects it over plain HTTP.',
    schema: yes,
  },
  'x-automatic': {
    on: ['parameter', 'header', 'response'],
    description: 'The pipeline reads or sends it instead of the handler.',
    schema: yes,
  },
  'x-uncommon': {
    on: ['schema'],
    description: 'The service rejects the most common passwords.',
    schema: yes,
  },
  'x-extensible-enum': {
    on: ['schema'],
    description: 'The current values. Clients must accept others.',
    schema: { type: 'array', items: { type: ['string', 'number', 'boolean', 'null'] } },
  },
  'x-codes': {
    on: ['schema'],
    description: 'The descriptions of the values of `ErrorCode`, and the statuses of your own codes.',
    schema: {
      type: 'object',
      additionalProperties: closed({
        status: { type: 'integer', minimum: 400, maximum: 599 },
        title: text,
        description: text,
      }),
    },
    judged: true,
  },
  'x-bridge': {
    on: ['document', 'operation', 'schema'],
    description: 'The counterparts in the other contract and in the database, and the accepted differences.',
    schema: closed({
      graphql: { type: ['string', 'array'], items: text, minItems: 1 },
      prisma: text,
      pairs: { type: 'array', items: closed({ graphql: text, prisma: text }, ['graphql', 'prisma']) },
      fields: { type: 'object', additionalProperties: closed({ graphql: text, prisma: text }) },
      flatten: { type: 'array', items: text },
      accept: { type: 'array', items: closed({ difference: text, reason }, ['difference', 'reason']) },
    }),
    judged: true,
  },
  'x-coverage': {
    on: ['document'],
    description:
      'Elements that need no test (`except`), and elements for which a test on one operation is enough (`once`), with reasons.',
    schema: closed({ except: reasons, once: reasons }),
  },
  'x-severity': {
    on: ['document'],
    description: 'The verdicts of this repository for rules of `accord diff`.',
    schema: { type: 'object', additionalProperties: { enum: ['breaking', 'risky', 'safe'] } },
  },
  'x-accepted-breaks': {
    on: ['document'],
    description: 'Accepted breaks, by the id that `accord diff` prints.',
    schema: {
      type: 'array',
      items: closed({ change: text, reason: { ...text, description: 'The reason.' } }, ['change', 'reason']),
    },
  },
  'x-unmatched': {
    on: ['document'],
    description: 'The responses to requests that match no operation, by status.',
    schema: { type: 'object', propertyNames: { pattern: '^[1-5][0-9]{2}$' }, additionalProperties: { type: 'object' } },
  },
  'x-parts': {
    on: ['document'],
    description: 'The parts of the platform whose contracts belong to this one. What the contract states itself wins.',
    schema: { type: 'array', uniqueItems: true, items: { enum: DOCUMENTED_PARTS } },
  },
  'x-defaults': {
    on: ['document'],
    description:
      'Defaults for many operations. Each adds members that an operation or a response does not state itself.',
    schema: {
      type: 'array',
      items: {
        ...closed({
          description: text,
          operations: { ...oneOrMore(predicate), description: 'The operations for which all of these are true.' },
          responses: { ...oneOrMore(text), description: 'Selects responses of the operations: `every`, or by status.' },
          unmatched: { const: 'every', description: 'The responses of `x-unmatched`.' },
          problems: { const: 'every', description: 'The problem documents among the components.' },
          update: { type: 'object', description: 'Members to merge into each.' },
          copy: {
            type: 'object',
            additionalProperties: text,
            description: 'Copies a media type, or a member of an example, under another name.',
          },
        }),
        oneOf: SELECTORS.map((name) => ({ required: [name] })),
        anyOf: [{ required: ['update'] }, { required: ['copy'] }],
      },
    },
    judged: true,
  },
};

export const extensionSchema = (name: keyof typeof EXTENSIONS): object => EXTENSIONS[name]?.schema ?? {};
