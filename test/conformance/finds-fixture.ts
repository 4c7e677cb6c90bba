import type { GraphQLResolveInfo } from 'graphql';
import type { Call } from '../../src/platform/index.js';
import { type Own, withoutRow } from '../support/own-application.js';

const ANYBODY = '@permission(action: "users.read", viewer: ANY, developer: ANY, admin: ANY)';

const sdl = `
directive @constraint(minLength: Int, maxLength: Int, min: Int, max: Int) on ARGUMENT_DEFINITION
interface Work { title(most: Int @constraint(max: 9)): String! }
type Book implements Work {
  title(most: Int @constraint(max: 9)): String!
  page(number: Int! @constraint(min: 1), mark: String! @constraint(maxLength: 4)): String
  size: Int
}
type Chart implements Work {
  title(most: Int @constraint(max: 9)): String!
  scale(unit: String @constraint(maxLength: 3)): String
  size: String
}
"Nobody finds one."
type Coin { side(name: String @constraint(maxLength: 5)): String }
union Find = Book | Chart | Coin
type Shelf { finds: [Find!]! }
type Query { work: Work ${ANYBODY} shelf: Shelf ${ANYBODY} }
`;

// The contract needs a login.
const openapi = {
  openapi: '3.1.0',
  info: { title: 'Finds', version: '1.0.0' },
  paths: {},
  components: { securitySchemes: { jwt: { type: 'http', scheme: 'bearer' } } },
};

interface Context {
  call: Call;
}

/**
 * Interfaces and unions. The queries return some of their members.
 * @param taken receives the name and arguments of each executed field
 * @param asked receives the variables of each request for an interface or a union
 */
export function finds(
  taken: (field: string, args: object) => void,
  asked: (variables: Record<string, unknown>) => void = () => {},
): Own {
  const field =
    (name: string) =>
    async (_: unknown, args: object, { call }: Context) => {
      taken(name, args);
      await call.enforce();
      return 'A text';
    };
  const typed = {
    __resolveType({ type }: { type: string }, _: unknown, { variableValues }: GraphQLResolveInfo) {
      asked(variableValues);
      return type;
    },
  };
  const chart = { type: 'Chart', size: 'A0' };
  return {
    openapi,
    sdl,
    resolvers: {
      Work: typed,
      Find: typed,
      Book: { title: field('Book.title'), page: field('Book.page') },
      Chart: { title: field('Chart.title'), scale: field('Chart.scale') },
      Query: {
        work: withoutRow(() => ({ type: 'Book', size: 300 })),
        shelf: withoutRow(() => ({ finds: [chart, { type: 'Book', size: 300 }] })),
      },
    },
  };
}
