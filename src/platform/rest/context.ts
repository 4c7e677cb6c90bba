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
  /** Which part of the list is asked for; the first page for an operation that lists nothing. */
  page: PageRequest;
  /** The canonical path of this request, the base of links to neighbouring pages. */
  pathname: string;
  /** What addresses of this version begin with, `/api/v1`; those of the newest where the request's own has no version. */
  prefix: string;
  /**
   * Of media types that an answer may have, the server's favourite first, the one that the client likes best (RFC 9110 §12.5.1);
   * undefined where it takes none. Says that the answer depends on it: `Vary` is to be declared.
   */
  accepts: <MediaType extends string>(types: readonly MediaType[]) => MediaType | undefined;
  /** For what a cookie other than the access token's authorises: throws FORBIDDEN unless a page of our own sent it. */
  ownOrigin: () => void;
  /** The `Set-Cookie` lines of a session, for this version. */
  sessionCookies: SessionCookies;
  /** The process and what it publishes. */
  platform: Platform;
}
