import * as Contract from '../../../generated/operations.js';

export const keys = Contract.keysHandlers({
  getJwks: async (_request, { services }) => {
    return { status: 200, headers: {}, body: (await services.jwks()) as Contract.JsonWebKeySet };
  },
});
