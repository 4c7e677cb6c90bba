/** What becomes of one HTTP status code: where it is sent, or why never. */
export interface StatusEntry {
  code: number;
  name: string;
  sent: boolean;
  /** Where, or why not; plain text, with `code` in backquotes. */
  text: string;
}

/** One that is sent, by the platform or by an operation; `never`, by neither; `declared`, where an operation declares it. */
interface Kind extends Omit<StatusEntry, 'sent'> {
  sent: 'always' | 'never' | 'declared';
}

const sent = (code: number, name: string, text: string): Kind => ({ code, name, sent: 'always', text });
const never = (code: number, name: string, text: string): Kind => ({ code, name, sent: 'never', text });
const declared = (code: number, name: string, text: string): Kind => ({ code, name, sent: 'declared', text });

/** Every code that an API is expected to know, and those that are sent besides (docs/decisions.md, "Status codes"). */
const KINDS: readonly Kind[] = [
  sent(100, 'Continue', 'To `Expect: 100-continue`, before the body of a request is read.'),
  sent(101, 'Switching Protocols', 'To a WebSocket handshake at `/graphql`; subscriptions travel over it.'),
  never(
    102,
    'Processing',
    'WebDAV (RFC 2518), and gone from its successor RFC 4918. Every answer comes within ten seconds; what takes longer is 202.',
  ),
  sent(
    103,
    'Early Hints',
    'Over HTTP/2, before the pages of this documentation: their style sheet, to be loaded meanwhile.',
  ),
  sent(200, 'OK', 'A read or a change that answers with a body; every answer of `POST /graphql`, failures included.'),
  declared(201, 'Created', 'Something was created; `Location` is its address.'),
  declared(
    202,
    'Accepted',
    'What takes a while, with `Prefer: respond-async`; `Location` is where to see how it ends.',
  ),
  declared(204, 'No Content', 'A deletion, a logout, a new password, `Prefer: return=minimal`, and `OPTIONS`.'),
  sent(206, 'Partial Content', 'A range of a published contract or of a file of this documentation.'),
  never(
    301,
    'Moved Permanently',
    'It lets a client change POST into GET. A stray trailing slash is 308, which does not.',
  ),
  sent(302, 'Found', 'From `/` to `/docs`: only for now, and only ever read.'),
  sent(
    304,
    'Not Modified',
    '`If-None-Match` names the present entity tag of a resource, a list, a contract or the key set.',
  ),
  never(
    307,
    'Temporary Redirect',
    'No operation has moved for a while, and plain HTTP with credentials is refused (403) rather than redirected.',
  ),
  sent(308, 'Permanent Redirect', 'A path with a trailing slash, to the path without it and with the same method.'),
  sent(
    400,
    'Bad Request',
    'The request cannot be read: malformed JSON, a missing member, a wrong type, an unknown parameter, no HTTP.',
  ),
  sent(
    401,
    'Unauthorized',
    'No credential, or one that is invalid, expired or revoked; `WWW-Authenticate` names the schemes.',
  ),
  sent(
    403,
    'Forbidden',
    'The caller is known and may not do this; credentials over plain HTTP; a cookie from a foreign origin.',
  ),
  sent(404, 'Not Found', 'No such resource, path or version; a repeated deletion.'),
  sent(405, 'Method Not Allowed', 'The path exists and lacks the method; `Allow` lists those it has.'),
  sent(406, 'Not Acceptable', 'No media type, or no version, that `Accept` asks for is to be had.'),
  sent(
    408,
    'Request Timeout',
    'The headers did not arrive within 10 seconds, or the request within 15; the connection ends.',
  ),
  declared(409, 'Conflict', 'A taken e-mail address, the last administrator, a key in flight.'),
  declared(410, 'Gone', 'The resource existed and was deleted.'),
  declared(412, 'Precondition Failed', '`If-Match` names another state than the present one.'),
  sent(413, 'Content Too Large', 'The body exceeds the limit (64 KiB unless configured).'),
  sent(
    415,
    'Unsupported Media Type',
    'The `Content-Type` is not one that the operation reads, or not in UTF-8, or compressed.',
  ),
  declared(422, 'Unprocessable Entity', 'The request can be read and its content breaks a rule.'),
  sent(
    429,
    'Too Many Requests',
    'The caller, or the address, has used up its requests; `Retry-After` says when to come back.',
  ),
  sent(431, 'Request Header Fields Too Large', 'The headers exceed what the HTTP parser reads (16 KiB).'),
  sent(500, 'Internal Server Error', 'A fault that nobody foresaw; the log has its cause under the request id.'),
  sent(501, 'Not Implemented', 'Whatever the contract promises before it is built.'),
  declared(502, 'Bad Gateway', 'A service behind this one answered nonsense, or not at all.'),
  sent(
    503,
    'Service Unavailable',
    'Overloaded, stopping, or without its database; `Retry-After` says when to come back.',
  ),
  declared(504, 'Gateway Timeout', 'A service behind this one took too long.'),
  sent(507, 'Insufficient Storage', 'The storage of the database is full; nothing was written.'),
];

/**
 * The table of a contract.
 * @param answers what it declares, each by status
 * @param words what the application says of a status in the platform's place
 */
export function statusTable(answers: readonly object[], words: Readonly<Record<number, string>> = {}): StatusEntry[] {
  const statuses = new Set(answers.flatMap((one) => Object.keys(one).map(Number)));
  return KINDS.map(({ code, name, sent, text }) => {
    if (sent === 'declared' && !statuses.has(code))
      return { code, name, sent: false, text: 'No operation of this service answers with it.' };
    return { code, name, sent: sent !== 'never', text: words[code] ?? text };
  });
}
