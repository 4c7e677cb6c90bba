import type { Call, Policy } from '../calls/access.js';
import type { PageRequest } from '../calls/pages.js';
import type { SessionCookies } from '../http/session-cookies.js';
import type { PublishedContracts } from '../pages/published.js';

/** Whether requests can be served now, and a word on each thing that it depends on. */
export interface Readiness {
  status: 'ok' | 'degraded' | 'unavailable';
  checks: Record<string, 'ok' | 'degraded' | 'failed'>;
}

/** Bytes, with the headers of a contract that may be asked for by its release. */
interface PublishedDocument {
  headers: { 'content-location': string; 'cache-control': string };
  body: Buffer;
}

/** What the service tells of itself, apart from its resources. */
export interface Platform {
  /**
   * A contract as it is published at the address by which this request calls, and how long it may be kept.
   * @param release the one that is asked for; the newest when it is left out
   * @throws Failure NOT_FOUND for one that is not served
   */
  document: (name: keyof PublishedContracts['documents'], release?: string) => Promise<PublishedDocument>;
  /** Whether requests can be served now, with a word on each dependency. */
  ready: () => Promise<Readiness>;
  /** The metrics in Prometheus' text format. */
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
  /** The requested part of a list; the first page for an operation without a list. */
  page: PageRequest;
  /** The canonical path of this request, the base of links to neighbouring pages. */
  pathname: string;
  /** The beginning of the addresses of this version, `/api/v1`; of the newest if the address of the request has no version. */
  prefix: string;
  /**
   * Negotiates the media type of an answer (RFC 9110 §12.5.1), and sets `Vary`, which the contract must declare. Returns undefined if the
   * client accepts none.
   * @param types the server's favourite first
   */
  accepts: <MediaType extends string>(types: readonly MediaType[]) => MediaType | undefined;
  /** For an operation that another cookie than the access token's authorises: throws FORBIDDEN for a page of another origin. */
  ownOrigin: () => void;
  /** Makes the `Set-Cookie` lines of a session, for this version. */
  sessionCookies: SessionCookies;
  /** The process and what it publishes. */
  platform: Platform;
}
