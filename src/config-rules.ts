import { isIP } from 'node:net';
import type { Config } from './config.js';

const isHttpUrl = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** An address, a subnet in CIDR notation, or a range that has a name. */
function isProxy(text: string): boolean {
  const [address = '', prefix] = text.trim().split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (prefix !== undefined) return /^\d+$/.test(prefix) && Number(prefix) <= bits;
  return bits > 0 || ['loopback', 'linklocal', 'uniquelocal'].includes(address);
}

/** Scheme, host and port, as a browser writes an Origin header; a wildcard is none. */
const isOrigin = (text: string): boolean => isHttpUrl(text) && new URL(text).origin === text && !text.includes('*');

/** What the types cannot say: each problem by the name of its variable. */
export function contradictions(config: Config): string[] {
  const { KEY_SECRET, JWT_SECRET, ADMIN_EMAIL, ADMIN_PASSWORD, PUBLIC_URL } = config;
  const { REDIS_URL, PAYMENT_URL, TRUST_PROXY, CORS_ORIGINS } = config;
  const production = config.NODE_ENV === 'production';
  return [
    production && !KEY_SECRET && 'KEY_SECRET: production has no default secret; set at least 32 characters',
    config.JWT_ALGORITHM === 'HS256' && !JWT_SECRET && 'JWT_SECRET: HS256 needs a secret of at least 32 characters',
    !ADMIN_EMAIL !== !ADMIN_PASSWORD && 'ADMIN_EMAIL, ADMIN_PASSWORD: set both or neither',
    !config.TLS_CERT !== !config.TLS_KEY && 'TLS_CERT, TLS_KEY: set both or neither',
    CORS_ORIGINS?.split(',').every((one) => isOrigin(one.trim())) === false &&
      'CORS_ORIGINS: must be origins such as https://app.example.com, separated by commas',
    PUBLIC_URL && !isHttpUrl(PUBLIC_URL) && 'PUBLIC_URL: must be a URL that begins with http:// or https://',
    PAYMENT_URL && !isHttpUrl(PAYMENT_URL) && 'PAYMENT_URL: must be a URL that begins with http:// or https://',
    REDIS_URL &&
      !(URL.canParse(REDIS_URL) && /^rediss?:$/.test(new URL(REDIS_URL).protocol)) &&
      'REDIS_URL: must be a URL that begins with redis:// or rediss://',
    TRUST_PROXY?.split(',').every(isProxy) === false &&
      'TRUST_PROXY: must be addresses, subnets, loopback, linklocal or uniquelocal, separated by commas',
  ].filter((problem) => typeof problem === 'string' && problem !== '') as string[];
}
