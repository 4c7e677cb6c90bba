/** All that the rules of production demand of the environment. */
export const PRODUCTION = {
  NODE_ENV: 'production',
  KEY_SECRET: 'a secret that is long enough to be one',
  PUBLIC_URL: 'https://api.example.com',
};

/** The same behind a proxy, and what the proxy says of a client that came to it by HTTPS. */
export const PROXIED = { ...PRODUCTION, TRUST_PROXY: 'loopback' };
export const ARRIVAL: Record<string, string> = { 'x-forwarded-proto': 'https' };
