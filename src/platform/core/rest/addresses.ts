/** The paths of the contract, and the answers to requests without a route. @module */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import findMyWay from 'find-my-way';
import { Failure } from '../calls/errors.js';
import { pathShape, prefixOf, type RestOperation } from '../contract/openapi.js';
import { pathOf } from '../http/headers.js';
import { quoted, similarTo } from '../http/messages.js';
import type { StagesOf } from '../stages.js';

interface PathRow {
  allow: readonly string[];
  isProtected: boolean;
}

/** Returns the declared methods of a canonical path without query; undefined for an unknown path. */
export type PathTable = (path: string) => PathRow | undefined;

/** Makes a table of the contract's paths for all methods. Fastify finds routes only by method. */
export function pathTable(operations: readonly RestOperation[]): PathTable {
  const router = findMyWay({ maxParamLength: Number.MAX_SAFE_INTEGER });
  for (const shape of new Set(operations.map(({ path }) => pathShape(path)))) {
    const ofPath = operations.filter((operation) => pathShape(operation.path) === shape);
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
    // The router accepts an empty segment as a parameter.
    return found && !Object.values(found.params).includes('') ? found.store : undefined;
  };
}

/**
 * Returns a function that finds the most similar path of the contract, segment by segment. It also tries the path below
 * the prefix of the newest version.
 */
function nearestPath(operations: readonly RestOperation[], newest: string | undefined) {
  const templates = [...new Set(operations.map(({ path }) => path))].map((path) => path.split('/'));
  function nearestTo(path: string): string | undefined {
    const wanted = path.split('/');
    let similar = templates;
    for (const [depth, segment] of wanted.entries()) {
      const literals = similar.flatMap((path) => (path[depth]?.startsWith('{') === false ? path[depth] : []));
      const literal = literals.includes(segment) ? segment : similarTo(segment, literals);
      const next = similar.filter((template) =>
        literal === undefined ? template[depth]?.startsWith('{') : template[depth] === literal,
      );
      if (next.length === 0) return similar.find((template) => depth > 1 && template.length === depth)?.join('/');
      similar = next;
    }
    return similar.find((template) => template.length === wanted.length)?.join('/');
  }
  return (path: string): string | undefined =>
    path.length > MAX_COMPARED
      ? undefined
      : (nearestTo(path) ?? (newest === undefined ? undefined : nearestTo(prefixOf(newest) + path)));
}

const MAX_COMPARED = 256;

interface AddressOptions {
  readonly operations: readonly RestOperation[];
  readonly paths: PathTable;
  /** The versions, oldest first. */
  readonly served: readonly string[];
}

/**
 * Redirects (308) a path with a trailing slash, which the router would take for an empty parameter. Answers requests without a
 * route: 404, OPTIONS, or 405 with Allow after authentication.
 */
export function addressStages(app: FastifyInstance, { operations, paths, served }: AddressOptions) {
  const nearest = nearestPath(operations, served.at(-1));
  function unknownPath(path: string): Failure {
    const similar = nearest(path);
    const list = app.core.seams.pages.sendFailure ? ' /docs lists all paths.' : '';
    const advice = similar === undefined ? list : ` Did you mean ${quoted(similar)}?`;
    return new Failure('NOT_FOUND', `There is nothing at this address.${advice}`);
  }
  async function answerOthers(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    // A page may call this handler for an address of its route.
    if (!reply.hasHeader('api-version')) app.core.seams.versions.announce(request, reply);
    const path = pathOf(request.url);
    const found = paths(path);
    if (!found) throw unknownPath(path);
    const { allow, isProtected } = found;
    if (request.method === 'OPTIONS') return reply.code(204).header('allow', allow.join(', ')).send();
    const actor = isProtected ? await app.core.authenticate(request) : null;
    if (isProtected && !actor) throw new Failure('UNAUTHENTICATED', 'This needs authentication.');
    throw new Failure('METHOD_NOT_ALLOWED', `This address does not take ${request.method}. Use ${allow.join(', ')}.`, {
      allow,
    });
  }
  const stages = {
    'trailing-slash': () => (request, reply) => {
      const [path = '', query] = request.originalUrl.split('?');
      const bare = path.replace(/(?<!\/)\/+$/, '');
      if (bare === path || bare === '') return;
      const isResource = ['', ...served.map(prefixOf)].some((prefix) => paths(prefix + bare) !== undefined);
      if (!isResource && !app.hasRoute({ url: bare, method: 'GET' })) throw unknownPath(bare);
      const to = query === undefined ? bare : `${bare}?${query}`;
      app.core.seams.versions.announce(request, reply, to);
      return reply.redirect(to, 308);
    },
  } satisfies Partial<StagesOf<'core'>>;
  return { stages, answerOthers };
}
