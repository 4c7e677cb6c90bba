import { isIPv4 } from 'node:net';

/** Whether an IP address, as a socket tells it, is of this machine. */
export function isLoopbackAddress(ip: string): boolean {
  const address = ip.replace(/^::ffff:/i, '');
  return address === '::1' || (isIPv4(address) && address.startsWith('127.'));
}

/** Whether the name or address in HOST, a URL or a Host header can mean this machine only (RFC 6761 §6.3). */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name.endsWith('.localhost') || isLoopbackAddress(name);
}
