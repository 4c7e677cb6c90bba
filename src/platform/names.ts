/** PostgreSQL limits the names of channels to 63 bytes. */
const MAX_NAME_CHARACTERS = 20;

export type Names = ReturnType<typeof namesOf>;

/**
 * Returns the names that contain the name of the application. Labels for key derivation do not contain it, because stored data would
 * become unreadable with another name.
 * @throws Error for an unsuitable name
 */
export function namesOf(name: string) {
  if (!/^[a-z][a-z0-9]+(-[a-z0-9]+)*$/.test(name) || name.length > MAX_NAME_CHARACTERS) {
    throw new Error(
      `The application's name is "${name}", and must have 2 to ${MAX_NAME_CHARACTERS} lower-case letters, digits and single hyphens, a letter first: it names a media type, cookies, tokens and signals.`,
    );
  }
  const short = name.slice(0, 2);
  // Names of channels are not quoted in SQL.
  const word = name.replaceAll('-', '_');
  return {
    mediaType: `application/vnd.${name}+json`,
    /** Over HTTPS, the names of cookies have a prefix. */
    accessCookie: `${word}_access`,
    refreshCookie: `${word}_refresh`,
    /** For secret scanners. */
    tokenPrefixes: { access: `${short}o_`, refresh: `${short}r_` },
    /** The realm of challenges, and the default issuer and audience of access tokens. */
    realm: name,
    /** Channels between instances, in PostgreSQL or Redis. */
    signals: {
      revocations: `${word}_revocations`,
      sessions: `${word}_sessions`,
      streams: `${word}_streams`,
      jobs: `${word}_jobs`,
    },
    /** The prefix of rate counters in Redis. */
    rates: `${name}:rate:`,
  };
}

/** @throws Error for a title that is not one line of text */
export function titleOf({ name, title }: { name: string; title?: string }): string {
  if (title === undefined) return name.charAt(0).toUpperCase() + name.slice(1);
  if (title.trim() === '' || /\p{C}/u.test(title)) throw new Error("The application's title must be one line of text.");
  return title;
}
