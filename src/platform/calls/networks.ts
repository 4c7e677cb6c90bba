import { isIPv4, isIPv6, SocketAddress } from 'node:net';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Returns the network of an address: an IPv6 host owns its /64 (RFC 4291 §2.5.4). A mapped IPv4 address is IPv4. */
export function networkOf(ip: string): string {
  if (!ip.includes(':')) return ip;
  const mapped = MAPPED.exec(ip)?.[1];
  if (mapped || !isIPv6(ip)) return mapped ?? ip;
  // Writes the address as RFC 5952 demands: only mapped and compatible addresses contain dots.
  const { address } = new SocketAddress({ address: ip.split('%')[0] as string, family: 'ipv6' });
  const [head = '', tail] = address.split('::');
  const groups = (text = '') => (text === '' ? [] : text.split(':'));
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  const network = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)].slice(0, 4).join(':');
  return MAPPED.exec(address)?.[1] ?? network;
}

/** Returns the prefixes by which networks take turns: /48, /56 and /64, or /24 and the IPv4 address. */
export function prefixesOf(network: string): string[] {
  const [a, b, c, last = '0'] = network.split(':');
  if (c === undefined) return [network.replace(/\.\d+$/, ''), network];
  return [`${a}:${b}:${c}`, `${a}:${b}:${c}:${last.padStart(4, '0').slice(0, 2)}`, network];
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
