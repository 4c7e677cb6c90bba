/** The three measured operations, for peers that use a contract. */
const json = (schema: object) => ({ 'application/json': { schema } });
const user = { $ref: '#/components/schemas/User' };
const link = { type: 'object', required: ['href'], properties: { href: { type: 'string' } } };
const named = {
  name: { type: 'string', minLength: 1, maxLength: 100 },
  email: { type: 'string', format: 'email', maxLength: 254 },
  role: { type: 'string', enum: ['admin', 'developer', 'viewer'] },
};

export const contract = {
  openapi: '3.0.3',
  info: { title: 'Users', version: '1.0.0' },
  paths: {
    '/api/v1/users': {
      get: {
        operationId: 'listUsers',
        parameters: [
          { name: 'after', in: 'query', required: true, schema: { type: 'integer' } },
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
        ],
        responses: {
          200: {
            description: 'A page.',
            content: json({
              type: 'object',
              required: ['data', 'cursor'],
              properties: {
                data: { type: 'array', items: user },
                cursor: {
                  type: 'object',
                  required: ['next', 'hasMore'],
                  properties: { next: { type: 'string' }, hasMore: { type: 'boolean' } },
                },
              },
            }),
          },
        },
      },
      post: {
        operationId: 'createUser',
        requestBody: {
          required: true,
          content: json({ type: 'object', required: ['name', 'email', 'role'], properties: named }),
        },
        responses: { 201: { description: 'The new user.', content: json(user) } },
      },
    },
    '/api/v1/users/{user_id}': {
      get: {
        operationId: 'getUser',
        parameters: [{ name: 'user_id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } }],
        responses: {
          200: { description: 'The user.', content: json(user) },
          404: { description: 'No such user.' },
        },
      },
    },
  },
  components: {
    schemas: {
      User: {
        type: 'object',
        required: ['id', 'name', 'email', 'role', 'createdAt', '_links'],
        properties: {
          id: { type: 'integer' },
          ...named,
          createdAt: { type: 'string' },
          _links: { type: 'object', required: ['self', 'orders'], properties: { self: link, orders: link } },
        },
      },
    },
  },
};
