import { type ClientHttp2Session, connect } from 'node:http2';
import type { Test } from 'tap';

/**
 * A session of HTTP/2 that ends with the test. What becomes of it is seen at its streams: an error of the session itself, as when
 * the server ends one that it holds for idle while something is being sent, has nobody else to meet.
 * @param url of the service; its certificate names localhost
 * @param ca the certificate that is trusted; without one, any is
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
