import { defineApplication } from '../platform/index.js';
import { resolvers } from './graphql/resolvers.js';
import { name } from './name.js';
import { handlers } from './rest/handlers.js';
import { demo } from './seed.js';
import { ownServices } from './services/index.js';

/** The example: users, orders, posts, comments and messages. */
export const application = defineApplication({
  name,
  handlers,
  resolvers,
  services: ownServices,
  demo,
});
