import { IncomingMessage } from 'node:http';

/** Not a member: the base class writes it before there could be one. */
const offering = new WeakSet<IncomingMessage>();

/**
 * A request of HTTP/1.1 that leads to an upgrade only when it asks for a WebSocket. To any other offer (Java's HttpClient makes
 * one for h2c with each request) the answer is that of an ordinary request, as RFC 9110 §7.8 permits; Node hands all of
 * them to who takes WebSockets.
 */
export class UpgradableRequest extends IncomingMessage {
  get upgrade(): boolean {
    return offering.has(this) && this.headers.upgrade?.toLowerCase() === 'websocket';
  }

  set upgrade(offered: boolean) {
    if (offered) offering.add(this);
  }
}
