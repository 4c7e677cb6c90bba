import type { Call, Policy } from '../calls/access.js';
import type { PageRequest } from '../calls/pages.js';
import type { SessionCookies } from '../http/session-cookies.js';
import type { PublishedContracts } from '../pages/published.js';

export interface Readiness {
  status: 'ok' | 'degraded' | 'unavailable';
  checks: Record<string, 'ok' | 'degraded' | 'failed'>;
}

interface PublishedDocument {
  headers: { 'content-location': string; 'cache-control': string };
  body: Buffer;
}

export interface Platform {
  /**
   * Returns a contract as it is published at the address of the request.
   * @param release undefined for the newest
   * @throws Failure NOT_FOUND for a release that is not served
   */
  document: (name: keyof PublishedContracts['documents'], release?: string) => Promise<PublishedDocument>;
  ready: () => Promise<Readiness>;
  metrics: () => Promise<string>;
}

/**
 * What a handler gets besides the request.
 * @typeParam Services those of the platform and of the application
 * @typeParam Rules the application's policy
 * @example
 * export type Context = PlatformContext<HandlerServices & OwnServices, typeof policy>;
 */
export interface Context<Services = unknown, Rules extends Policy = Policy> {
  call: Call<Rules>;
  services: Services;
  /** The requested part of a list; the first page for other operations. */
  page: PageRequest;
  /** The canonical path of the request, for links to other pages. */
  pathname: string;
  /** The prefix of the version, `/api/v1`; the newest for an address without a version. */
  prefix: string;
  /**
   * Negotiates a media type (RFC 9110 §12.5.1), and sets `Vary`, which the contract must declare. Returns undefined if
   * the client accepts none.
   * @param types in the order of preference
   */
  accepts: <MediaType extends string>(types: readonly MediaType[]) => MediaType | undefined;
  /**
   * For an operation that uses a cookie other than the access token. @throws Failure FORBIDDEN for a page of another
   * origin
   */
  ownOrigin: () => void;
  sessionCookies: SessionCookies;
  platform: Platform;
}
