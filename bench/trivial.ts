import type { AddressInfo } from 'node:net';
import { platformCodes } from '../src/platform/core/contract/codes.js';
import type { OpenApiDocument } from '../src/platform/core/contract/document.js';
import { publishedContracts } from '../src/platform/core/contract/published.js';
import { openDatabase } from '../src/platform/database/open.js';
import {
  type Call,
  defineApplication,
  type HandlerServices,
  hasher,
  list,
  routeFor,
  User,
} from '../src/platform/index.js';
import { buildApp } from '../src/platform/server/app.js';
import { readConfig } from '../src/platform/server/config.js';

/**
 * An application with one or `OPERATIONS` operations that return a constant to authenticated callers, which leaves the
 * cost of the platform.
 */
const OPERATIONS = Number(process.env['OPERATIONS'] ?? 1);
const numbers = Array.from({ length: OPERATIONS }, (_, i) => i);
const policy = {
  'greetings.read': { VIEWER: 'any', ADMIN: 'any' },
  // The platform requires this action for the administration of accounts.
  'users.set-role': { VIEWER: 'none', ADMIN: 'any' },
} as const;

const openapi = {
  openapi: '3.1.0',
  info: { title: 'Greetings', version: '1.0.0' },
  tags: [{ name: 'greetings' }],
  paths: Object.fromEntries(
    numbers.map((number) => [
      `/api/v1/greetings/${number}`,
      {
        get: {
          operationId: `greet${number}`,
          tags: ['greetings'],
          security: [{ jwt: [] }],
          'x-permission': { action: 'greetings.read', viewer: 'any', admin: 'any' },
          responses: {
            200: {
              description: 'A greeting.',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Greeting' } } },
            },
          },
        },
      },
    ]),
  ),
  components: {
    securitySchemes: { jwt: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    schemas: {
      Greeting: {
        type: 'object',
        required: ['greeting'],
        properties: { greeting: { type: 'string' } },
      },
    },
  },
};
const sdl = `
directive @permission(action: String!, viewer: Access!, admin: Access!) repeatable on FIELD_DEFINITION
enum Access { NONE OWN ANY }
type Query { greeting: String @permission(action: "greetings.read", viewer: ANY, admin: ANY) }
`;

const route = routeFor<HandlerServices>();
const greet = route({
  target: list(User),
  handler: (_asked: unknown) => ({ status: 200, body: { greeting: 'Hello' } }),
});

const application = defineApplication({
  name: 'greetings',
  policy,
  errors: platformCodes,
  handlers: { greetings: Object.fromEntries(numbers.map((number) => [`greet${number}`, greet])) },
  resolvers: { Query: { greeting: route({ target: list(User), handler: (_asked: unknown) => 'Hello' }) } },
  services: () => ({}),
});

const database = await openDatabase('pglite://memory');
const nothing = ['', ''] as const;
const editions = { yaml: nothing, json: nothing };
const contract = { sources: {}, openapi: openapi as unknown as OpenApiDocument, editions, servers: [], schema: sdl };
const app = await buildApp(application, readConfig(process.env), {
  database,
  logger: { level: 'info' },
  contracts: await publishedContracts(contract),
});
await app.listen({ port: 0, host: '127.0.0.1' });

const [email, password] = ['somebody@example.com', 'a password for the bench'];
const passwordHash = await hasher().hash(password);
await database.client.user.create({ data: { name: 'Somebody', email, emailKey: email, role: 'VIEWER', passwordHash } });
const call: Call = { policy, actor: null, address: '127.0.0.1', requestId: 'bench', enforce: async () => {} };
const tokens = await app.platformServices.sessions.login(call, { email, password });
if (tokens.flow === 'opaque') throw new Error('Nobody could log in.');
console.log(`ready http://127.0.0.1:${(app.server.address() as AddressInfo).port} ${tokens.accessToken}`);
