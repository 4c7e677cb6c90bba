import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6, type Socket, SocketAddress } from 'node:net';
import { compile } from '@fastify/proxy-addr';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;
/** An address in brackets or with dots may have a port. */
const WITH_PORT = /^(?:\[([^[\]]*)\]|([^[\]]*\.\d+))(?::\d*)?$/;

/**
 * Returns an address of a socket or of `X-Forwarded-For` as RFC 5952 writes it, without port, brackets, quotes and zone. A
 * mapped IPv4 address is IPv4. Returns undefined for a text that is no address.
 */
export function parseAddress(text: string): string | undefined {
  const entry = text.trim().replace(/^"(.*)"$/, '$1');
  const [, bracketed, dotted] = WITH_PORT.exec(entry) ?? [];
  const address = bracketed ?? dotted ?? entry;
  if (!isIPv6(address)) return isIPv4(address) ? address : undefined;
  const canonical = new SocketAddress({ address: address.split('%')[0] as string, family: 'ipv6' }).address;
  return MAPPED.exec(canonical)?.[1] ?? canonical;
}

const ADDRESS = Symbol('address');
type Remembering<Subject> = Subject & { [ADDRESS]?: string | undefined };

/** Returns the address of the other end. Node forgets it when the connection ends, so the first call must precede that. */
export const addressOfSocket = (socket: Remembering<Pick<Socket, 'remoteAddress'>>): string | undefined =>
  (socket[ADDRESS] ??= parseAddress(socket.remoteAddress ?? ''));

type Arrived = Pick<IncomingMessage, 'socket' | 'headers'>;

/**
 * Returns a function that reads the address of the client of a request, once. A forwarded entry that is no address counts as
 * the proxy that sent it.
 * @param trusted TRUST_PROXY: the proxies whose `X-Forwarded-For` is believed
 */
export function addressReader(trusted: string | undefined): (request: Arrived) => string {
  const isProxy = trusted === undefined ? () => false : compile(trusted.split(',').map((address) => address.trim()));
  function read({ socket, headers }: Arrived): string {
    let address = addressOfSocket(socket) ?? '';
    const entries = trusted === undefined ? [] : String(headers['x-forwarded-for'] ?? '').split(',');
    for (let entry = entries.pop(); entry !== undefined && isProxy(address, 0); entry = entries.pop()) {
      if (entry.trim() === '') continue;
      const sender = parseAddress(entry);
      if (sender === undefined) break;
      address = sender;
    }
    return address;
  }
  return (request: Remembering<Arrived>) => (request[ADDRESS] ??= read(request));
}

/** Returns the network of an address: an IPv6 host owns its /64 (RFC 4291 §2.5.4). @param address in the form of `parseAddress` */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const groups = (text = '') => (text === '' ? [] : text.split(':'));
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  return [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)].slice(0, 4).join(':');
}

/** Returns true for an address of this machine, which may send credentials over plain HTTP outside production. */
export function isLoopbackAddress(ip: string): boolean {
  const address = ip.replace(/^::ffff:/i, '');
  return address === '::1' || (isIPv4(address) && address.startsWith('127.'));
}

/** Returns true for a host name or address of this machine (RFC 6761 §6.3). */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name.endsWith('.localhost') || isLoopbackAddress(name);
}

/** Splits a list of addresses. */
export const listOf = (text = ''): string[] => (text === '' ? [] : text.split(',').map((item) => item.trim()));
