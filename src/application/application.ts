import { defineApplication } from '@accord-api/platform';
import { errors } from '../../generated/errors.js';
import { policy } from '../../generated/policy.js';
import { resolvers } from './graphql/resolvers.js';
import { models } from './models.js';
import { name } from './name.js';
import { handlers } from './rest/handlers.js';
import { paid } from './rest/representations.js';
import { demo } from './seed.js';
import { ownServices } from './services/index.js';

/** The example: users, orders, posts, comments and messages. */
export const application = defineApplication({
  name,
  policy,
  errors,
  handlers,
  resolvers,
  models,
  services: (platform) => ownServices(platform, paid),
  demo,
});
