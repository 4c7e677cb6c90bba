import { type Own, withoutRow } from '../support/own-application.js';

const permission = { action: 'users.read', viewer: 'any', developer: 'any', admin: 'any' };
const book = (title: object, others: object = {}) => ({
  type: 'object',
  required: ['title'],
  properties: { title: { type: 'string', ...title }, ...others },
});

const openapi = {
  openapi: '3.1.0',
  info: { title: 'Shelf', version: '1.0.0' },
  paths: {
    '/api/v1/books': {
      post: {
        operationId: 'shelve',
        tags: ['books'],
        security: [{ jwt: [] }],
        'x-permission': permission,
        parameters: [],
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: book({ maxLength: 8 }), example: { title: 'Momo' } },
            // The example of the first media type is valid here as well.
            'application/merge-patch+json': {
              schema: book({ maxLength: 8 }, { pages: { type: 'integer', maximum: 5 } }),
            },
            'application/geo+json': { schema: book({ minLength: 6 }), example: { title: 'Fantastica' } },
            'text/plain': { schema: { type: 'string', maxLength: 20 }, example: 'A leaf' },
            'text/csv': { schema: { type: 'string', maxLength: 30 } },
            // Not JSON.
            'application/octet-stream': {},
          },
        },
        responses: { 204: { description: 'It has its place.' } },
      },
    },
  },
  components: { securitySchemes: { jwt: { type: 'http', scheme: 'bearer' } } },
};

interface Asked {
  body: unknown;
  mediaType: string;
}

/** A body with several media types, each with its own bounds. @param read receives each body and its media type */
export const shelf = (read: (mediaType: string, body: unknown) => void): Own => ({
  openapi,
  handlers: {
    books: {
      shelve: withoutRow(({ body, mediaType }: Asked) => {
        read(mediaType, body);
        return { status: 204 };
      }),
    },
  },
});
