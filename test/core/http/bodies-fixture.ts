import type { Readable } from 'node:stream';
import { notWritten } from '../../../src/platform/index.js';
import { type Own, withoutRow } from '../../support/own-application.js';

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const answer = { description: 'What came.', content: { 'application/json': { schema: {} } } };
const permission = { action: 'users.read', viewer: 'any', developer: 'any', admin: 'any' };

const operation = (operationId: string, content: object, required = true) => ({
  post: {
    operationId,
    tags: ['bodies'],
    security: [{ jwt: [] }],
    'x-permission': permission,
    parameters: [],
    requestBody: { required, content },
    responses: { 200: answer },
  },
});
const json = (schema: object) => ({ 'application/json': { schema } });

const openapi = {
  openapi: '3.1.0',
  info: { title: 'Bodies', version: '1.0.0' },
  paths: {
    '/api/v1/text': operation('sendText', { 'text/plain': { schema: { type: 'string', maxLength: 20 } } }),
    '/api/v1/bytes': operation('sendBytes', { 'application/octet-stream': {}, 'image/*': {} }),
    '/api/v1/beginning': operation('sendBeginning', { 'application/octet-stream': {} }),
    '/api/v1/any': operation('sendAny', {
      'application/json': { schema: { type: 'object', required: ['a'] } },
      'application/geo+json': { schema: { type: 'object', required: ['b'] } },
      'text/csv': { schema: { type: 'string' } },
    }),
    '/api/v1/comment': operation('sendComment', json(reference('Comment'))),
    '/api/v1/expression': operation('sendExpression', json(reference('Expression'))),
    '/api/v1/beside': operation('sendBeside', json(reference('Beside'))),
    '/api/v1/later': operation('sendLater', json({}), false),
    '/api/v1/nothing': operation('sendNothing', {}, false),
  },
  components: {
    securitySchemes: { jwt: { type: 'http', scheme: 'bearer' } },
    schemas: {
      Comment: {
        type: 'object',
        required: ['text'],
        properties: {
          text: { type: 'string', maxLength: 5 },
          replies: { type: 'array', items: reference('Comment') },
        },
        additionalProperties: false,
      },
      // Both alternatives contain another one before their discriminator.
      Expression: { oneOf: [{ type: 'integer' }, reference('Sum'), reference('Product')] },
      Sum: {
        type: 'object',
        required: ['of', 'is'],
        properties: { of: reference('Expression'), is: { const: 'sum' } },
      },
      Product: {
        type: 'object',
        required: ['of', 'is'],
        properties: { of: reference('Expression'), is: { const: 'product' } },
      },
      Text: { type: 'string', minLength: 1 },
      Pair: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } },
      Beside: {
        $ref: '#/components/schemas/Pair',
        description: 'A pair of which one is there.',
        required: ['a'],
        properties: { short: { ...reference('Text'), maxLength: 3 }, a: { maxLength: 5 } },
      },
    },
  },
};

interface Asked {
  body: unknown;
  mediaType: string;
}

const told = withoutRow(async ({ body, mediaType }: Asked, { enforce }) => {
  await enforce();
  if (typeof (body as Readable | undefined)?.pipe !== 'function')
    return { status: 200, body: { is: typeof body, body, mediaType } };
  let length = 0;
  for await (const piece of body as Readable) length += piece.length;
  return { status: 200, body: { is: 'stream', length, mediaType } };
});

const beginning = withoutRow(async ({ body }: Asked) => {
  for await (const piece of body as Readable) return { status: 200, body: piece[0] };
  return { status: 200 };
});

const names = ['sendText', 'sendBytes', 'sendAny', 'sendComment', 'sendExpression', 'sendBeside', 'sendNothing'];

/** Operations that return their body: text, bytes, and JSON with recursive schemas and keywords beside references. */
export const bodiesApplication: Own = {
  openapi,
  handlers: {
    bodies: {
      ...Object.fromEntries(names.map((name) => [name, told])),
      sendBeginning: beginning,
      sendLater: notWritten,
    },
  },
};
