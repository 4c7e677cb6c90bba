/** The variables that production requires. */
export const PRODUCTION = {
  NODE_ENV: 'production',
  KEY_SECRET: 'a secret that is long enough to be one',
  PUBLIC_URL: 'https://api.example.com',
};

/** The variables behind a proxy, and the headers of a proxy for a client with HTTPS. */
export const PROXIED = { ...PRODUCTION, TRUST_PROXY: 'loopback' };
export const ARRIVAL: Record<string, string> = { 'x-forwarded-proto': 'https' };
