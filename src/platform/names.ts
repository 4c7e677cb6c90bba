/** What the name of an application becomes, wherever it meets others. */
export interface Names {
  /** What it is called in documents: as a vendor media type, for answers. */
  readonly mediaType: string;
  /** The cookie that holds the token of either flow, and the one that holds the refresh token; over HTTPS with a prefix. */
  readonly accessCookie: string;
  readonly refreshCookie: string;
  /** By which secret scanners, and we, recognise a token of each kind. */
  readonly tokenPrefixes: { readonly access: string; readonly refresh: string };
  /** Of its challenges, and the issuer and audience of its access tokens where nobody has said other ones. */
  readonly realm: string;
  /** What its instances tell each other by, through the database or through Redis. */
  readonly signals: {
    readonly revocations: string;
    readonly sessions: string;
    readonly streams: string;
    readonly jobs: string;
  };
  /** Before the keys of what its instances count in Redis. */
  readonly rates: string;
}

/** Characters: with what is put behind it, a name must fit PostgreSQL's 63 bytes for the name of a channel. */
const LONGEST = 20;

/**
 * All that is made of an application's name. Not made of it is what belongs to the platform or to a database, whichever
 * application is on it: the labels that secrets are derived with ('accord cursor', 'accord signing keys', …), for what was
 * sealed under another label could not be opened; the names of prepared statements; and the signal that the stored signing
 * keys have changed, which `accord keys` sends, an operator's command that knows a database and no application.
 * @throws Error that says in a sentence what a name can be
 */
export function namesOf(name: string): Names {
  if (!/^[a-z][a-z0-9]+(-[a-z0-9]+)*$/.test(name) || name.length > LONGEST) {
    throw new Error(
      `The application's name is "${name}", and must have 2 to ${LONGEST} lower-case letters, digits and single hyphens, a letter first: it names a media type, cookies, tokens and signals.`,
    );
  }
  const short = name.slice(0, 2);
  // Not every database quotes the name of a channel, nor every language the cookie that a handler reads by its name.
  const word = name.replaceAll('-', '_');
  return {
    mediaType: `application/vnd.${name}+json`,
    accessCookie: `${word}_access`,
    refreshCookie: `${word}_refresh`,
    tokenPrefixes: { access: `${short}o_`, refresh: `${short}r_` },
    realm: name,
    signals: {
      revocations: `${word}_revocations`,
      sessions: `${word}_sessions`,
      streams: `${word}_streams`,
      jobs: `${word}_jobs`,
    },
    rates: `${name}:rate:`,
  };
}

/**
 * What people read: the title, or else the name with a capital.
 * @throws Error for a title that is not one line of text
 */
export function titleOf({ name, title }: { name: string; title?: string }): string {
  if (title === undefined) return name.charAt(0).toUpperCase() + name.slice(1);
  if (title.trim() === '' || /\p{C}/u.test(title)) throw new Error("The application's title must be one line of text.");
  return title;
}
