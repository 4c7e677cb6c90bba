import { type ClientHttp2Session, connect } from 'node:http2';
import type { Test } from 'tap';

/**
 * Opens an HTTP/2 session that the end of the test closes. Errors of the session are ignored, because its streams
 * report them too.
 * @param ca the trusted certificate; without one, any certificate is accepted
 */
export function http2Session(t: Test, url: string, ca?: string): ClientHttp2Session {
  const session = connect(
    url.replace('127.0.0.1', 'localhost'),
    ca === undefined ? { rejectUnauthorized: false } : { ca },
  );
  session.on('error', () => {});
  t.teardown(() => session.destroy());
  return session;
}
