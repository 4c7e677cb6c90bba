import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { Failure } from '../calls/errors.js';
import type { Operation } from '../contract/openapi.js';
import { prefixOf, shapeOf } from '../contract/versions.js';
import { pathOf } from '../http/path.js';

const nothingHere = () => new Failure('NOT_FOUND', 'There is nothing at this address.');

/** What is declared at a path. */
interface PathRow {
  allow: readonly string[];
  isProtected: boolean;
}

/** The paths of the contract. */
interface PathTable {
  /** @returns what is declared at a canonical path without its query, or undefined where the contract has no such path */
  at: (path: string) => PathRow | undefined;
}

/** What follows a beginning of some paths: by a segment that is text, or else by one of a form. */
interface PathNode {
  row?: PathRow;
  texts: Map<string, PathNode>;
  forms: { pattern: RegExp; node: PathNode }[];
}

const emptyNode = (): PathNode => ({ texts: new Map(), forms: [] });

/** To look a path up takes a step for each of its segments, however many paths there are. */
export function pathTable(operations: Operation[]): PathTable {
  const root = emptyNode();
  for (const shape of new Set(operations.map(({ path }) => shapeOf(path)))) {
    const ofPath = operations.filter((operation) => shapeOf(operation.path) === shape);
    const methods = ofPath.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    shape.split('/').reduce(nodeAfter, root).row = {
      allow: [...new Set(methods), 'OPTIONS'],
      isProtected: ofPath.every(({ security }) => security.length > 0),
    };
  }
  return { at: (path) => rowAt(root, path.split('/'), 0) };
}

/** The node behind a segment of a shape, which is made where there was none. */
function nodeAfter({ texts, forms }: PathNode, segment: string): PathNode {
  if (!segment.includes('{}')) {
    const known = texts.get(segment) ?? emptyNode();
    texts.set(segment, known);
    return known;
  }
  const pattern = new RegExp(`^${segment.replaceAll('.', '\\.').replaceAll('{}', '[^/]+')}$`);
  const known = forms.find((one) => one.pattern.source === pattern.source) ?? { pattern, node: emptyNode() };
  if (!forms.includes(known)) forms.push(known);
  return known.node;
}

/** A segment that is text goes before one of a form, as in the router. */
function rowAt({ row, texts, forms }: PathNode, segments: readonly string[], at: number): PathRow | undefined {
  const segment = segments[at];
  if (segment === undefined) return row;
  const behind = texts.get(segment);
  const found = behind && rowAt(behind, segments, at + 1);
  if (found) return found;
  for (const { pattern, node } of forms) {
    const other = pattern.test(segment) ? rowAt(node, segments, at + 1) : undefined;
    if (other) return other;
  }
  return undefined;
}

interface UnmatchedOptions {
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
    const found = paths.at(pathOf(request.url));
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
