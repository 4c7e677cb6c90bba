/** Characters: with its suffix, a name must fit PostgreSQL's 63 bytes for the name of a channel. */
const LONGEST = 20;

export type Names = ReturnType<typeof namesOf>;

/**
 * Returns all names that are made of an application's name. Others belong to the platform or to a database: the labels for the
 * derivation of secrets ('accord cursor', 'accord signing keys', …), because data under another label could not be read; prepared
 * statements; and the signal that the stored keys have changed, because `accord keys` knows a database and no application.
 * @throws Error for a name that does not fit
 */
export function namesOf(name: string) {
  if (!/^[a-z][a-z0-9]+(-[a-z0-9]+)*$/.test(name) || name.length > LONGEST) {
    throw new Error(
      `The application's name is "${name}", and must have 2 to ${LONGEST} lower-case letters, digits and single hyphens, a letter first: it names a media type, cookies, tokens and signals.`,
    );
  }
  const short = name.slice(0, 2);
  // Names of channels and cookies must work where nothing quotes them.
  const word = name.replaceAll('-', '_');
  return {
    /** The vendor media type of answers. */
    mediaType: `application/vnd.${name}+json`,
    /** The cookies with the token of either flow, and with the refresh token; with a prefix over HTTPS. */
    accessCookie: `${word}_access`,
    refreshCookie: `${word}_refresh`,
    /** Secret scanners recognise a token by its prefix. */
    tokenPrefixes: { access: `${short}o_`, refresh: `${short}r_` },
    /** The realm of challenges, and the default issuer and audience of access tokens. */
    realm: name,
    /** Channels between instances, in the database or in Redis. */
    signals: {
      revocations: `${word}_revocations`,
      sessions: `${word}_sessions`,
      streams: `${word}_streams`,
      jobs: `${word}_jobs`,
    },
    /** The prefix of counters in Redis. */
    rates: `${name}:rate:`,
  };
}

/** Returns the title, or else the name with a capital. @throws Error for a title that is not one line of text */
export function titleOf({ name, title }: { name: string; title?: string }): string {
  if (title === undefined) return name.charAt(0).toUpperCase() + name.slice(1);
  if (title.trim() === '' || /\p{C}/u.test(title)) throw new Error("The application's title must be one line of text.");
  return title;
}
