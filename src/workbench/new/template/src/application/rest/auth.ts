import { caller } from '@accord-api/platform';
import * as Contract from '../../../generated/operations.js';
import { User } from '../models.js';
import { route } from '../routes.js';
import { userReplies } from './representations.js';

export const auth = Contract.authHandlers({
  getCurrentUser: route({ target: caller(User), reply: userReplies.ok }),
});
