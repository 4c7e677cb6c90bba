import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import findMyWay from 'find-my-way';
import { Failure } from '../calls/errors.js';
import { type Operation, prefixOf, shapeOf } from '../contract/openapi.js';
import { pathOf } from '../http/request.js';

const nothingHere = () => new Failure('NOT_FOUND', 'There is nothing at this address.');

/** What the contract declares at a path. */
interface PathRow {
  allow: readonly string[];
  isProtected: boolean;
}

/** Returns what the contract declares at a canonical path without its query; undefined for a path that it does not have. */
type PathTable = (path: string) => PathRow | undefined;

/** Makes a table of the paths of the contract, whatever the method: Fastify finds routes by method, and patterns by their text only. */
export function pathTable(operations: Operation[]): PathTable {
  const router = findMyWay({ maxParamLength: Number.MAX_SAFE_INTEGER });
  for (const shape of new Set(operations.map(({ path }) => shapeOf(path)))) {
    const ofPath = operations.filter((operation) => shapeOf(operation.path) === shape);
    const methods = ofPath.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    let parameters = 0;
    const pattern = shape.replaceAll('{}', () => `:${parameters++}`);
    router.get(pattern, () => {}, {
      allow: [...new Set(methods), 'OPTIONS'],
      isProtected: ofPath.every(({ security }) => security.length > 0),
    } satisfies PathRow);
  }
  return (path) => {
    const found = router.find('GET', path);
    // The router takes an empty segment for a parameter.
    return found && !Object.values(found.params).includes('') ? found.store : undefined;
  };
}

interface UnmatchedOptions {
  paths: PathTable;
  /** The versions of the contract. */
  served: readonly string[];
}

/** Answers requests that no route takes. */
export const unmatchedPlugin = fp<UnmatchedOptions>(
  async (app, { paths, served }) => {
    const exists = (path: string) =>
      ['', ...served.map(prefixOf)].some((prefix) => paths(prefix + path) !== undefined) ||
      app.hasRoute({ url: path, method: 'GET' });
    app.setNotFoundHandler(answerUnmatched(app, paths));
    app.stage('trailing-slash', redirectTrailingSlash(app, exists));
  },
  { name: 'unmatched', dependencies: ['pipeline', 'version', 'authenticate'] },
);

/**
 * Answers 404 if the contract does not have the path. Otherwise answers OPTIONS, and 405 with Allow to a method that the path
 * lacks, after the authentication of the path.
 */
const answerUnmatched =
  (app: FastifyInstance, paths: PathTable) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // @fastify/cors passes OPTIONS on, which then does not look unmatched where the version is named.
    if (!reply.hasHeader('api-version')) app.nameVersion(request, reply);
    const found = paths(pathOf(request.url));
    if (!found) throw nothingHere();
    const { allow, isProtected } = found;
    if (request.method === 'OPTIONS') return reply.code(204).header('allow', allow.join(', ')).send();
    const actor = isProtected ? await app.authenticate(request) : null;
    if (isProtected && !actor) throw new Failure('UNAUTHENTICATED', 'This needs authentication.');
    throw new Failure('METHOD_NOT_ALLOWED', `This address takes ${allow.join(', ')}.`, { allow });
  };

/**
 * Redirects a path with a trailing slash to the path without it (308), or answers 404 if that path does not exist. It is a hook,
 * because the router takes the slash for an empty parameter.
 */
const redirectTrailingSlash =
  (app: FastifyInstance, exists: (path: string) => boolean) =>
  (request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined => {
    const [path = '', query] = request.originalUrl.split('?');
    const bare = path.replace(/(?<!\/)\/+$/, '');
    if (bare === path || bare === '') return undefined;
    if (!exists(bare)) throw nothingHere();
    const to = query === undefined ? bare : `${bare}?${query}`;
    app.nameVersion(request, reply, to);
    return reply.redirect(to, 308);
  };
