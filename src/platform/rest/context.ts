import type { Call, Policy } from '../calls/access.js';
import type { PageRequest } from '../calls/pages.js';
import type { SessionCookies } from '../http/session-cookies.js';
import type { Platform } from './platform-context.js';

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
