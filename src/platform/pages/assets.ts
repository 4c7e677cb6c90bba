import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import fresh from 'fresh';
import Negotiator from 'negotiator';
import { sendRange } from '../http/range.js';
import { varyBy } from '../http/vary.js';

const compress = promisify(gzip);

/** One file of a browser page: its bytes, which are not read before somebody asks for them, and the media type they are sent with. */
export interface Asset {
  content: () => Buffer;
  type: string;
}

/** Static files under names that change with their content. */
export interface Assets {
  /** The address of a file, by the plain name that it was given. Throws on a name that is not there. */
  href(name: string): string;
  /** Adds the GET route of the files to `app`. */
  mount(app: FastifyInstance): void;
}

/** Characters of a hash. */
const HASH = 12;

/** A file that somebody has asked for. */
interface Published {
  content: Buffer;
  type: string;
  /** `<hash>-<name>` */
  file: string;
  compressed?: Promise<Buffer>;
}

/**
 * Publishes `files` below `prefix` as `<prefix>/<hash>-<name>`.
 * The hash is of the content, so a copy may be kept for ever (RFC 8246) and a release is never mixed with the one before.
 * A file is read when somebody asks for it or for a page that names it, and compressed once, off the event loop: the largest is
 * some megabytes.
 */
export function publishAssets(prefix: string, files: Record<string, Asset>): Assets {
  const published = new Map<string, Published>();
  function find(name: string): Published | undefined {
    const known = published.get(name);
    const asset = Object.hasOwn(files, name) ? files[name] : undefined;
    if (known || !asset) return known;
    const content = asset.content();
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, HASH);
    const made = { content, type: asset.type, file: `${hash}-${name}` };
    published.set(name, made);
    return made;
  }

  return {
    href(name) {
      const found = find(name);
      if (!found) throw new Error(`No asset named ${name} below ${prefix}`);
      return `${prefix}/${found.file}`;
    },
    mount(app) {
      app.get<{ Params: { file: string } }>(`${prefix}/:file`, async (request, reply) => {
        const { file } = request.params;
        const found = find(file.slice(HASH + 1));
        if (found?.file !== file) return reply.callNotFound();
        const { content, type } = found;
        // Weak (RFC 9110, section 8.8.1): the plain and the compressed bytes share it.
        const etag = `W/"${file.slice(0, HASH)}"`;
        reply.header('cache-control', 'public, max-age=31536000, immutable').header('etag', etag);
        varyBy(reply, 'Accept-Encoding');
        reply.header('x-content-type-options', 'nosniff');
        reply.header('accept-ranges', 'bytes');
        if (fresh({ 'if-none-match': request.headers['if-none-match'] }, { etag })) return reply.code(304).send();
        reply.type(type);
        // A range is of the plain bytes: of compressed ones a client could make nothing.
        if (request.headers.range !== undefined) return sendRange(request, reply, content);
        if (!new Negotiator(request.raw).encodings(['gzip']).includes('gzip')) return reply.send(content);
        found.compressed ??= compress(content);
        return reply.header('content-encoding', 'gzip').send(await found.compressed);
      });
    },
  };
}
