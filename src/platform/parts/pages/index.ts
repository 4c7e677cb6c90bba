import type { Part } from '../../core/application.js';
import { titleOf } from '../../core/names.js';
import { mountPages } from './pages.js';

const GRAPHQL = { method: 'POST', url: '/graphql' } as const;

/** Serves the reference, the error catalogue, GraphiQL, and the login of browsers. */
export const pages = (): Part<'pages'> => ({
  name: 'pages',
  open({ app, core, application, config: { production }, database }) {
    const people = (!production && application.demo?.people) || [];
    const session = core.sessionPaths && { ...core.sessionPaths, people };
    return {
      stages: {},
      seam: core.seams.pages,
      async mount() {
        core.seams.pages = await mountPages(app, {
          errors: Object.entries(application.errors).map(([code, entry]) => ({ code, ...entry })),
          frame: { title: titleOf(application), graphiql: !production && app.hasRoute(GRAPHQL), session },
          person: (id) => database.client.user.findUnique({ where: { id }, select: { name: true, email: true } }),
        });
      },
    };
  },
});
