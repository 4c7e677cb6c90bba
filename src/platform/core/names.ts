/** PostgreSQL limits the names of channels to 63 bytes. */
const MAX_NAME_CHARACTERS = 20;

/**
 * Browsers set these cookies only over HTTPS, and not for subdomains (RFC 6265bis §4.1.3). `__Host-` allows only the
 * path `/`.
 */
export const COOKIE_PREFIXES = { access: '__Host-', refresh: '__Secure-' } as const;

export type Names = ReturnType<typeof namesOf>;

/**
 * Returns the names that contain the name of the application. Labels for key derivation do not contain it, because a
 * new name would make stored data unreadable.
 * @throws Error for an unsuitable name
 */
export function namesOf(name: string) {
  if (!/^[a-z][a-z0-9]+(-[a-z0-9]+)*$/.test(name) || name.length > MAX_NAME_CHARACTERS) {
    throw new Error(
      `The application's name is "${name}", and must have 2 to ${MAX_NAME_CHARACTERS} lower-case letters, digits and single hyphens, and begin with a letter. It is part of a media type, cookies, tokens and channels.`,
    );
  }
  const tokenPrefix = name.slice(0, 2);
  // Names of channels are not quoted in SQL.
  const identifier = name.replaceAll('-', '_');
  return {
    mediaType: `application/vnd.${name}+json`,
    /** Over HTTPS, the names of cookies have the prefix `__Host-` or `__Secure-`. */
    accessCookie: `${identifier}_access`,
    refreshCookie: `${identifier}_refresh`,
    /** Binds the refresh cookie to its session, over HTTPS. */
    bindingCookie: `${identifier}_session`,
    /** Secret scanners recognise tokens by these prefixes. */
    tokenPrefixes: { access: `${tokenPrefix}o_`, refresh: `${tokenPrefix}r_` },
    /** The realm of challenges, and the default issuer and audience of access tokens. */
    realm: name,
    /** Channels between instances, in PostgreSQL or Redis. */
    signals: {
      revocations: `${identifier}_revocations`,
      sessions: `${identifier}_sessions`,
      streams: `${identifier}_streams`,
      jobs: `${identifier}_jobs`,
    },
    /** The prefix of rate counters in Redis. */
    rates: `${name}:rate:`,
  };
}

/** Channels that the instances of all applications listen to. A command does not know the name of the application. */
export const SHARED_SIGNALS = namesOf('accord').signals;

/** @throws Error for a title that is not one line of text */
export function titleOf({ name, title }: { name: string; title?: string }): string {
  if (title === undefined) return name.charAt(0).toUpperCase() + name.slice(1);
  if (title.trim() === '' || /\p{C}/u.test(title)) throw new Error("The application's title must be one line of text.");
  return title;
}
