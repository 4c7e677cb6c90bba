import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { Failure } from '../calls/errors.js';
import type { Operation } from '../contract/openapi.js';
import { prefixOf, shapeOf } from '../contract/versions.js';

const nothingHere = () => new Failure('NOT_FOUND', 'There is nothing at this address.');

/** The paths of the contract. */
export interface PathTable {
  /** @returns what is declared at a canonical path without its query, or undefined where the contract has no such path */
  at: (path: string) => { allow: readonly string[]; isProtected: boolean } | undefined;
}

export function pathTable(operations: Operation[]): PathTable {
  const rows = [...new Set(operations.map(({ path }) => shapeOf(path)))].map((path) => {
    const ofPath = operations.filter((operation) => shapeOf(operation.path) === path);
    const methods = ofPath.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    return {
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll('{}', '[^/]+')}$`),
      allow: [...new Set(methods), 'OPTIONS'],
      isProtected: ofPath.every(({ security }) => security.length > 0),
    };
  });
  return { at: (path) => rows.find(({ pattern }) => pattern.test(path)) };
}

export interface UnmatchedOptions {
  paths: PathTable;
  /** The versions that are served. */
  served: readonly string[];
}

/** What becomes of a request that no route takes. */
export const unmatchedPlugin = fp<UnmatchedOptions>(
  async (app, { paths, served }) => {
    const exists = (path: string) =>
      ['', ...served.map(prefixOf)].some((prefix) => paths.at(prefix + path) !== undefined) ||
      app.hasRoute({ url: path, method: 'GET' });
    app.setNotFoundHandler(answerUnmatched(app, paths));
    app.stage('trailing-slash', redirectTrailingSlash(app, exists));
  },
  { name: 'unmatched', dependencies: ['pipeline', 'version', 'authenticate'] },
);

/**
 * Answers what no route takes: 404 for everyone where the contract has no such path; else OPTIONS, or 405 with Allow for
 * a method that the path lacks, behind the path's own authentication.
 */
const answerUnmatched =
  (app: FastifyInstance, paths: PathTable) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // @fastify/cors passes OPTIONS on, which then does not look unmatched where the version is named.
    if (!reply.hasHeader('api-version')) app.nameVersion(request, reply);
    const found = paths.at(request.url.split('?')[0] as string);
    if (!found) throw nothingHere();
    const { allow, isProtected } = found;
    if (request.method === 'OPTIONS') return reply.code(204).header('allow', allow.join(', ')).send();
    const actor = isProtected ? await app.authenticate(request) : null;
    if (isProtected && !actor) throw new Failure('UNAUTHENTICATED', 'This needs authentication.');
    throw new Failure('METHOD_NOT_ALLOWED', `This address takes ${allow.join(', ')}.`, { allow });
  };

/**
 * A stray trailing slash is answered with 308 to the path without it, or with 404 where that does not exist either.
 * A hook, since the router takes the slash for an empty parameter.
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
