import * as Contract from '../../../generated/operations.js';

export const platform = Contract.platformHandlers({
  getRoot: async (_request, { accepts, prefix }) => {
    if (accepts(['text/html', 'application/json']) !== 'application/json')
      return { status: 302, headers: { location: '/docs' } };
    const _links = {
      self: { href: '/' },
      'service-doc': { href: '/docs' },
      'service-desc': { href: '/openapi.json' },
      status: { href: '/readyz' },
      users: { href: `${prefix}/users` },
      graphql: { href: '/graphql' },
    };
    return { status: 200, headers: {}, body: { _links } };
  },
});
