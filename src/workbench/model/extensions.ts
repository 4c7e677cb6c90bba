import { PREDICATES, SELECTORS } from './defaults.js';
import type { Kind } from './elements.js';

/** A member of ours in an OpenAPI document. */
interface Extension {
  /** What it stands beside. */
  on: readonly Kind[];
  /** What it says, for who completes it in an editor. */
  description: string;
  /** Of its value; what a schema cannot say is left to the rule that looks at it. */
  schema: object;
  /** Whether another rule tells what is wrong with it, and better. */
  judged?: true;
}

const text = { type: 'string', minLength: 1 };
const yes = { type: 'boolean' };
const closed = (properties: Record<string, object>, required: string[] = []) => {
  return { type: 'object', additionalProperties: false, required, properties };
};
const reason = { ...text, minLength: 10, description: 'Why; a reviewer reads it.' };
const reach = { enum: ['none', 'own', 'any'] };
const permission = {
  type: 'object',
  required: ['action'],
  properties: {
    action: { ...text, description: 'What is done, as in `users.update`. It is there as soon as it is named.' },
    when: { ...text, description: 'In prose, what makes a further permission apply.' },
  },
  additionalProperties: { ...reach, description: 'How far this role reaches: `none`, to its `own`, or to `any`.' },
};
const time = { ...text, description: 'An ISO 8601 date or time.' };
const predicate = { enum: Object.keys(PREDICATES) };
const oneOrMore = (one: object) => ({ anyOf: [one, { type: 'array', items: one }] });
const reasons = { type: 'object', additionalProperties: { ...text, description: 'Why.' } };

/** Members of ours that a contract may have, each once: for editors, and for the rule that checks them. */
export const EXTENSIONS: Readonly<Record<`x-${string}`, Extension>> = {
  'x-permission': {
    on: ['operation'],
    description: 'Who may call it: `public`, or an action and how far each role reaches with it.',
    schema: { anyOf: [{ const: 'public' }, permission] },
    judged: true,
  },
  'x-permission-also': {
    on: ['operation'],
    description: 'Further permissions that some of its requests need; `when` says which.',
    schema: { type: 'array', items: permission },
    judged: true,
  },
  'x-deprecation': {
    on: ['operation', 'parameter', 'header', 'schema'],
    description: 'Since when it is deprecated, when it may go, and what to use instead.',
    schema: {
      type: 'object',
      required: ['since', 'sunset', 'successor'],
      properties: {
        since: time,
        sunset: time,
        link: { ...text, description: 'Where to read on; of an operation it is demanded.' },
        successor: { ...text, description: 'What to use instead; of an operation an operationId. `none` for nothing.' },
      },
    },
    judged: true,
  },
  'x-last-version': {
    on: ['operation'],
    description: 'The last version that has it, where newer ones do without.',
    schema: { type: 'integer', minimum: 1 },
    judged: true,
  },
  'x-forward': {
    on: ['operation'],
    description: 'The service behind this one that carries it out; and its path there, if it is another.',
    schema: { anyOf: [text, closed({ to: text, path: { type: 'string', pattern: '^/[^?#]*$' } }, ['to'])] },
    judged: true,
  },
  'x-rate-limit': {
    on: ['operation'],
    description: '`false`: requests for it are not counted.',
    schema: yes,
  },
  'x-credentials-in-body': {
    on: ['operation'],
    description: 'Its body carries credentials, so that it is refused over plain HTTP.',
    schema: yes,
  },
  'x-automatic': {
    on: ['parameter', 'header', 'response'],
    description: 'The pipeline reads or sends it, and no handler has to do with it.',
    schema: yes,
  },
  'x-uncommon': {
    on: ['schema'],
    description: 'One of the commonest passwords is refused.',
    schema: yes,
  },
  'x-extensible-enum': {
    on: ['schema'],
    description: 'The values of today: clients take others, too.',
    schema: { type: 'array', items: { type: ['string', 'number', 'boolean', 'null'] } },
  },
  'x-codes': {
    on: ['schema'],
    description: 'Of `ErrorCode`: what each of its values means, and the status of those that are yours.',
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
    description: 'What it pairs with in the other contract and in the database, and which differences are meant.',
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
      'What no test need see (`except`), and what is seen on all when it is seen on one (`once`), with reasons.',
    schema: closed({ except: reasons, once: reasons }),
  },
  'x-severity': {
    on: ['document'],
    description: 'What this repository decides about rules of `accord diff`.',
    schema: { type: 'object', additionalProperties: { enum: ['breaking', 'risky', 'safe'] } },
  },
  'x-accepted-breaks': {
    on: ['document'],
    description: 'Breaks that must be, by the id that `accord diff` tells.',
    schema: {
      type: 'array',
      items: closed({ change: text, reason: { ...text, description: 'Why.' } }, ['change', 'reason']),
    },
  },
  'x-unmatched': {
    on: ['document'],
    description: 'The answers to a request that no operation is there for, by status.',
    schema: { type: 'object', propertyNames: { pattern: '^[1-5][0-9]{2}$' }, additionalProperties: { type: 'object' } },
  },
  'x-defaults': {
    on: ['document'],
    description:
      'Defaults for many operations: each adds what an operation, or a response of it, does not state itself.',
    schema: {
      type: 'array',
      items: {
        ...closed({
          description: text,
          operations: { ...oneOrMore(predicate), description: 'The operations that satisfy all of these.' },
          responses: { ...oneOrMore(text), description: 'Their responses in their place: `every`, or by status.' },
          unmatched: { const: 'every', description: 'The responses of `x-unmatched`.' },
          problems: { const: 'every', description: 'The problem documents among the components.' },
          update: { type: 'object', description: 'Merged into each.' },
          copy: {
            type: 'object',
            additionalProperties: text,
            description: 'Repeats a media type, or a member of an example, under another name.',
          },
        }),
        oneOf: SELECTORS.map((name) => ({ required: [name] })),
        anyOf: [{ required: ['update'] }, { required: ['copy'] }],
      },
    },
    judged: true,
  },
};

/** The schema of the value of one of them. */
export const extensionSchema = (name: keyof typeof EXTENSIONS): object => EXTENSIONS[name]?.schema ?? {};
