import { defineApplication } from '@accord-api/platform';
import { errors } from '../../generated/errors.js';
import { policy } from '../../generated/policy.js';
import { resolvers } from './graphql/resolvers.js';
import { models } from './models.js';
import { name } from './name.js';
import { handlers } from './rest/handlers.js';
import { demo } from './seed.js';
import { ownServices } from './services/index.js';

export const application = defineApplication({
  name,
  title: 'Library',
  policy,
  errors,
  handlers,
  resolvers,
  models,
  services: ownServices,
  demo,
});
