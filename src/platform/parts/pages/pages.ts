import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DemoPerson } from '../../core/application.js';
import { markCompressible, pathOf, sendBytes } from '../../core/http/headers.js';
import type { Seams } from '../../core/part.js';
import { fileAt, hrefOf, type PageFile, PREFIX, servedPath } from './files.js';

interface SessionBar {
  login: string;
  logout: string;
  /** The accounts of a demo, each with a button. Without accounts, the bar has a form. */
  people: readonly DemoPerson[];
}

interface FrameOptions {
  title: string;
  /** True if `GET /graphql` shows GraphiQL to a browser. */
  graphiql: boolean;
  /** Undefined if the contract has no login with cookies. */
  session: SessionBar | undefined;
}

interface PagesOptions {
  errors: readonly { code: string; status: number; title: string; description: string }[];
  frame: FrameOptions;
  person: (id: number) => Promise<{ name: string; email: string } | null>;
}

const policyOf = (directives: Record<string, string>): string =>
  Object.entries({ 'default-src': "'none'", 'style-src': "'self'", 'img-src': "'self'", ...directives })
    .concat(['base-uri', 'form-action', 'frame-ancestors'].map((name) => [name, "'none'"]))
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');
const SCRIPTS = { 'script-src': "'self'", 'connect-src': "'self'" };
/** The API reference and GraphiQL set inline styles. */
const INLINE = { ...SCRIPTS, 'style-src': "'self' 'unsafe-inline'" };

interface Page {
  title: string;
  path?: string;
  policy: string;
  styles?: PageFile[];
  scripts?: PageFile[];
  /** False also for a page without the session bar, which is a script. */
  hasScripts?: boolean;
  sections: object;
}

const TAG = /\{\{#(?<section>\w+)\}\}(?<inner>[\s\S]*?)\{\{\/\k<section>\}\}|\{\{(?<name>\w+)\}\}/g;
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);

/**
 * Renders a template in a subset of Mustache: `{{name}}` is escaped text, and `{{#name}}…{{/name}}` is a section for
 * each item of a list, for an object, or for a true value.
 */
const renderTemplate = (template: string, values: Readonly<Record<string, unknown>>): string =>
  template.replaceAll(TAG, (...given) => {
    const { section, inner, name } = given.at(-1) as Record<'section' | 'inner' | 'name', string>;
    if (name !== undefined) return escapeHtml(String(values[name] ?? ''));
    const items = [values[section] || []].flat();
    return items.map((item) => renderTemplate(inner, { ...values, ...(typeof item === 'object' && item) })).join('');
  });

function pageRenderer(frame: FrameOptions) {
  const template = readFileSync(servedPath('page.html'), 'utf8');
  const { title, graphiql, session } = frame;
  const links = [
    ['/docs', 'API reference'],
    ['/docs/errors', 'Error catalogue'],
    ...(graphiql ? [['/graphql', 'GraphiQL']] : []),
    ['/openapi.yaml', 'openapi.yaml'],
    ['/schema.graphql', 'schema.graphql'],
  ];
  const hrefs = (names: PageFile[]) => names.map((name) => ({ href: hrefOf(name) }));
  return ({
    title: pageTitle,
    path,
    styles = [],
    scripts = [],
    hasScripts = true,
    sections,
  }: Omit<Page, 'policy'>): string =>
    renderTemplate(template, {
      pageTitle,
      title,
      icon: hrefOf('icon.svg'),
      styles: hrefs([...styles, 'page.css']),
      links: links.map(([href, label]) => ({ href, label, isCurrent: href === path })),
      session: hasScripts && session && { ...session, isDemo: session.people.length > 0 },
      scripts: hrefs(hasScripts ? [...scripts, 'page.js'] : []),
      ...sections,
    });
}

const HTML = 'text/html; charset=utf-8';

/**
 * Serves `/docs` (the API reference), `/docs/errors` (the target of the `type` of a problem; RFC 9457 §3.1.1), and
 * `/docs/session` (the account of the session bar). @scalar/fastify-api-reference is not used, because it redirects to
 * `/docs/` and needs an inline script.
 */
export async function mountPages(
  app: FastifyInstance,
  { errors, frame, person }: PagesOptions,
): Promise<Seams['pages']> {
  await app.register(fastifyStatic, {
    serve: false,
    preCompressed: true,
    index: false,
    immutable: true,
    maxAge: YEAR_MS,
  });
  app.get(`${PREFIX}/:file`, (request, reply) => {
    const name = fileAt(pathOf(request.url));
    if (name === undefined) return reply.callNotFound();
    const path = servedPath(name);
    // fetch sends no-cache with If-None-Match, which makes @fastify/static answer 200 instead of 304.
    delete request.raw.headers['cache-control'];
    return reply.sendFile(basename(path), dirname(path));
  });

  const renderPage = pageRenderer(frame);
  function sender({ policy, ...page }: Page) {
    let bytes: Buffer | undefined;
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      bytes ??= markCompressible(Buffer.from(renderPage(page)));
      reply.type(HTML).header('content-security-policy', policy).header('cache-control', 'no-cache');
      return sendBytes(request, reply, bytes);
    };
  }
  const mount = (path: string, page: Omit<Page, 'path'>) => {
    app.get(path, sender({ path, ...page }));
  };
  mount('/docs', {
    title: `${frame.title} API reference`,
    policy: policyOf({ ...INLINE, 'img-src': "'self' data: blob:", 'font-src': "'self' data:" }),
    scripts: ['reference.js'],
    sections: { reference: true },
  });
  mount('/docs/errors', {
    title: `${frame.title} error catalogue`,
    policy: policyOf({}),
    hasScripts: false,
    sections: { catalogue: { errors } },
  });
  const graphiql = sender({
    path: '/graphql',
    title: `GraphiQL: ${frame.title}`,
    policy: policyOf({ ...INLINE, 'img-src': "'self' data:", 'font-src': 'data:' }),
    styles: ['graphiql.css'],
    scripts: ['react.js', 'react-dom.js', 'graphiql.js'],
    sections: { graphiql: true },
  });
  if (frame.session) app.get('/docs/session', sendSession(app, person));

  return {
    sendGraphiql: graphiql,
    sendFailure(failure, reply) {
      const { code, status, title, message } = failure;
      const canLogIn = status === 401 && frame.session !== undefined;
      const sections = { failure: { code, status, title, message, canLogIn } };
      reply.type(HTML).header('content-security-policy', policyOf(SCRIPTS));
      return reply.send(renderPage({ title: `${status} ${title}`, sections }));
    },
  };
}

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

/** Sends the account of the session cookie, or null. */
const sendSession =
  (app: FastifyInstance, person: PagesOptions['person']) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const hasCookie = request.cookies[app.core.names.accessCookie] !== undefined;
    const actor = hasCookie ? await app.core.identify(request) : null;
    const found = actor?.mechanism === 'cookieAuth' ? await person(actor.id) : null;
    const answer = found && { name: found.name, email: found.email, role: actor?.role.toLowerCase() };
    return reply
      .type('application/json')
      .header('cache-control', 'no-store')
      .send(JSON.stringify(answer ?? null));
  };
