import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import fresh from 'fresh';
import Negotiator from 'negotiator';
import { sendRange } from '../http/range.js';

const compress = promisify(gzip);

/** One file of a browser page: its bytes and the media type they are sent with. */
export interface Asset {
  content: Buffer;
  type: string;
}

/** Static files under names that change with their content. */
export interface Assets {
  /** The address of a file, by the plain name that it was given. Throws on a name that is not there. */
  href(name: string): string;
  /** Adds one GET route per file to `app`. */
  mount(app: FastifyInstance): void;
}

/**
 * Publishes `files` below `prefix` as `<prefix>/<hash>-<name>`.
 * The hash is of the content, so a copy may be kept for ever (RFC 8246) and a release is never mixed with the one before.
 * A file is compressed once, at its first request and off the event loop: the largest is some megabytes.
 */
export function publishAssets(prefix: string, files: Record<string, Asset>): Assets {
  const published = new Map(
    Object.entries(files).map(([name, asset]) => {
      const hash = createHash('sha256').update(asset.content).digest('base64url').slice(0, 12);
      return [name, { ...asset, hash, href: `${prefix}/${hash}-${name}` }];
    }),
  );

  return {
    href(name) {
      const file = published.get(name);
      if (!file) throw new Error(`No asset named ${name} below ${prefix}`);
      return file.href;
    },
    mount(app) {
      for (const { content, type, hash, href } of published.values()) {
        let compressed: Promise<Buffer> | undefined;
        // Weak (RFC 9110, section 8.8.1): the plain and the compressed bytes share it.
        const etag = `W/"${hash}"`;
        app.get(href, async (request, reply) => {
          reply.header('cache-control', 'public, max-age=31536000, immutable').header('etag', etag);
          reply.header('vary', 'accept-encoding').header('x-content-type-options', 'nosniff');
          reply.header('accept-ranges', 'bytes');
          if (fresh({ 'if-none-match': request.headers['if-none-match'] }, { etag })) return reply.code(304).send();
          reply.type(type);
          // A range is of the plain bytes: of compressed ones a client could make nothing.
          if (request.headers.range !== undefined) return sendRange(request, reply, content);
          if (!new Negotiator(request.raw).encodings(['gzip']).includes('gzip')) return reply.send(content);
          compressed ??= compress(content);
          return reply.header('content-encoding', 'gzip').send(await compressed);
        });
      }
    },
  };
}
