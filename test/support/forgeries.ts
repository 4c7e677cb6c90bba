import {
  createHash,
  createHmac,
  createPublicKey,
  createSign,
  generateKeyPairSync,
  type KeyObject,
  sign as rawSign,
} from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';

/** A description of the fault, and the token. */
export type Forgery = [what: string, token: string];

interface Material {
  /** A valid token. */
  good: string;
  /** The key that signed it. */
  key: KeyObject;
  /** The published key set, as the service sent it. */
  jwks: string;
  /** The address of a server that counts requests for keys. */
  listener: string;
  /** Unix seconds. */
  now: number;
}

const encode = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** Spellings of `none` that a careless comparison accepts (CVE-2015-9235 and later ones). */
const NONE = [
  'none',
  'None',
  'NONE',
  'nOnE',
  'noNe',
  'none ',
  ' none',
  'none\u0000',
  'n\u006fne\t',
  'null',
  'undefined',
  '',
  '0',
];

const WEAK = [
  ...['secret', 'password', 'changeme', 'jwt', 'key', 'test', 'admin', 'accord', 'development', 'default', '123456'],
  ...['your-256-bit-secret', 'your_jwt_secret', 'supersecret', 'shhhhh', 'AllYourBase', 'mysecret', 'token', ''],
  ...['0'.repeat(32), '\u0000'.repeat(32), 'qwertyuiopasdfghjklzxcvbnm123456', 'secretsecretsecretsecretsecretse'],
];

/** Returns tokens that must be rejected: damaged, forged, or signed by the real key with a wrong claim or header. */
export function forgeries({ good, key, jwks, listener, now }: Material): Forgery[] {
  const header = decodeProtectedHeader(good);
  const claims = decodeJwt(good);
  const [head = '', body = '', signature = ''] = good.split('.');
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });

  const sign = (h: object | string, p: object | string = claims, by = key, hash = 'RSA-SHA256') => {
    const text = `${encode(h)}.${encode(p)}`;
    return `${text}.${createSign(hash).update(text).sign(by, 'base64url')}`;
  };
  const withHeader = (more: object) => sign({ ...header, ...more });
  const withClaims = (more: object) => sign(header, { ...claims, ...more });
  const hmac = (bits: number, secret: string | Buffer) => {
    const text = `${encode({ ...header, alg: `HS${bits}` })}.${body}`;
    return `${text}.${createHmac(`sha${bits}`, secret).update(text).digest('base64url')}`;
  };

  const publicKey = createPublicKey(key);
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const published = JSON.parse(jwks).keys[0] as { n: string; kid: string };
  const confused: [string, string | Buffer][] = [
    ['PEM', pem],
    ['PEM without its last line end', pem.trimEnd()],
    ['PEM with CRLF', pem.replaceAll('\n', '\r\n')],
    ['PEM of PKCS #1', publicKey.export({ type: 'pkcs1', format: 'pem' }).toString()],
    ['DER of SPKI', publicKey.export({ type: 'spki', format: 'der' })],
    ['DER of PKCS #1', publicKey.export({ type: 'pkcs1', format: 'der' })],
    ['the JWK', JSON.stringify(published)],
    ['the key set', jwks],
    ['the modulus', published.n],
    ['the kid', published.kid],
    ['the thumbprint', createHash('sha256').update(published.kid).digest()],
  ];
  const strangerJwk = stranger.publicKey.export({ format: 'jwk' });
  const x5c = [stranger.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')];
  const byStranger = (more: object) => sign({ alg: 'RS256', typ: 'JWT', ...more }, claims, stranger.privateKey);
  const kids = ['../../../../dev/null', '/dev/null', "' OR '1'='1", '$(sleep 9)', '|id', '__proto__', 'constructor'];
  const oddKids = [7, 0, null, true, {}, [], [published.kid], { kid: published.kid }];
  const dates = [String(now + 500), null, [now + 500], {}, true, -1, 0, now - 100, '', 'never'];
  const subjects = ['0', '-1', '1.5', '1e1', '', ' 1', 'admin', '9'.repeat(30), 1, null, ['1']];
  const zeros: [string, number][] = [
    ['ES256', 64],
    ['ES384', 96],
    ['ES512', 132],
  ];

  return [
    ...NONE.flatMap((alg): Forgery[] => [
      [`alg ${JSON.stringify(alg)}, no signature`, `${encode({ ...header, alg })}.${body}.`],
      [`alg ${JSON.stringify(alg)}, the real signature`, `${encode({ ...header, alg })}.${body}.${signature}`],
      [`alg ${JSON.stringify(alg)}, signed`, withHeader({ alg })],
    ]),
    ['alg absent', sign({ typ: 'JWT', kid: header.kid })],
    ['alg twice', sign(`{"alg":"none","alg":"RS256","typ":"JWT","kid":"${header.kid}"}`)],
    ['alg twice, the other way', sign(`{"alg":"RS256","alg":"none","typ":"JWT","kid":"${header.kid}"}`)],
    ...[['RS256'], null, 1].map((alg): Forgery => [`alg ${JSON.stringify(alg)}`, withHeader({ alg })]),
    ...[256, 384, 512].flatMap((bits) =>
      confused.map(([what, secret]): Forgery => [`HS${bits} keyed with ${what}`, hmac(bits, secret)]),
    ),
    ...WEAK.map((secret): Forgery => [`HS256 keyed with ${JSON.stringify(secret)}`, hmac(256, secret)]),
    ...['RS384', 'RS512'].map(
      (alg): Forgery => [`${alg} by the real key`, sign({ ...header, alg }, claims, key, `RSA-SHA${alg.slice(2)}`)],
    ),
    ['PS256 by the real key', pss({ ...header, alg: 'PS256' }, claims, key)],
    ['RS256 in PSS', pss(header, claims, key)],
    ...['jku', 'x5u', 'kid', 'url'].map(
      (name): Forgery => [`${name} names a listener`, byStranger({ kid: header.kid, [name]: `${listener}/${name}` })],
    ),
    ['iss names a listener', sign(header, { ...claims, iss: listener }, stranger.privateKey)],
    ['jwk embedded', byStranger({ jwk: strangerJwk })],
    ['jwk embedded under our kid', byStranger({ kid: header.kid, jwk: { ...strangerJwk, kid: header.kid } })],
    ['x5c embedded', byStranger({ kid: header.kid, x5c })],
    ['signed by a stranger', byStranger({ kid: header.kid })],
    ...[...kids, 'x'.repeat(6000)].map((kid): Forgery => [`kid ${kid.slice(0, 20)}`, withHeader({ kid })]),
    ...oddKids.map((kid): Forgery => [`kid ${JSON.stringify(kid)}`, withHeader({ kid })]),
    ['kid absent', sign({ alg: 'RS256', typ: 'JWT' })],
    ['crit unknown', withHeader({ crit: ['x'], x: 1 })],
    ['crit empty', withHeader({ crit: [] })],
    ['crit no list', withHeader({ crit: 'exp' })],
    ['crit of a registered name', withHeader({ crit: ['alg'] })],
    ['b64 false', withHeader({ crit: ['b64'], b64: false })],
    ['zip', withHeader({ zip: 'DEF' })],
    ...zeros.flatMap(([alg, length]): Forgery[] => [
      [`${alg} with zeros`, `${encode({ ...header, alg })}.${body}.${Buffer.alloc(length).toString('base64url')}`],
      [
        `${alg} with zeros in DER`,
        `${encode({ ...header, alg })}.${body}.${Buffer.from('3006020100020100', 'hex').toString('base64url')}`,
      ],
    ]),
    ...['at+jwt', 'JWS', '', 'refresh'].map((typ): Forgery => [`typ ${typ}`, withHeader({ typ })]),
    ['typ absent', sign({ alg: 'RS256', kid: header.kid })],
    ['cty of a nested token', sign({ ...header, cty: 'JWT' }, good)],
    ['padded', `${good}==`],
    ['padded header', `${head}=.${body}.${signature}`],
    ['padded payload', `${head}.${body}==.${signature}`],
    ['stray low bits', `${head}.${body}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`],
    ['standard alphabet', `${head}.${body}.${signature.replaceAll('-', '+').replaceAll('_', '/')}+/`],
    ['two parts', `${head}.${body}`],
    ['no signature', `${head}.${body}.`],
    ['four parts', `${good}.${signature}`],
    ['five parts', `${good}.${signature}.${signature}`],
    ['trailing dot', `${good}.`],
    ['leading dot', `.${good}`],
    ['three dots', '...'],
    ['signature cut', good.slice(0, -5)],
    ['signature doubled', `${good}${signature}`],
    ['payload changed', `${head}.${encode({ ...claims, role: 'ADMIN' })}.${signature}`],
    ['header spaced', sign(JSON.stringify(header, null, 1))],
    ['header a list', sign('[]')],
    ['header no JSON', sign('nonsense')],
    ['payload no JSON', sign(header, 'nonsense')],
    ['payload a list', sign(header, '[]')],
    ['payload null', sign(header, 'null')],
    ['payload empty', sign(header, '{}')],
    ...['exp', 'iat', 'sub', 'iss', 'aud', 'jti', 'role'].map(
      (claim): Forgery => [`${claim} absent`, withClaims({ [claim]: undefined })],
    ),
    ...dates.map((exp): Forgery => [`exp ${JSON.stringify(exp)}`, withClaims({ exp })]),
    ...[String(now), null, [now], now + 100].map((iat): Forgery => [`iat ${JSON.stringify(iat)}`, withClaims({ iat })]),
    ...[now + 100, 'soon', null].map((nbf): Forgery => [`nbf ${JSON.stringify(nbf)}`, withClaims({ nbf })]),
    ...['accord/', 'Accord', ' accord', '', 'https://accord', ['accord'], null].map(
      (iss): Forgery => [`iss ${JSON.stringify(iss)}`, withClaims({ iss })],
    ),
    ...['accord/', 'ACCORD', '', 'other', [], ['other'], null, { accord: 1 }].map(
      (aud): Forgery => [`aud ${JSON.stringify(aud)}`, withClaims({ aud })],
    ),
    ...subjects.map((sub): Forgery => [`sub ${JSON.stringify(sub)}`, withClaims({ sub })]),
    ...['ROOT', 'viewer', '', 'constructor', '__proto__', ['ADMIN'], null].map(
      (role): Forgery => [`role ${JSON.stringify(role)}`, withClaims({ role })],
    ),
    ...[null, 7, ['x']].map((jti): Forgery => [`jti ${JSON.stringify(jti)}`, withClaims({ jti })]),
    ['an opaque token that nobody has', `acc_${'x'.repeat(43)}`],
    ['a refresh token', `acr_${'x'.repeat(43)}`],
    ['a word', 'token'],
    ['a very long one', 'x'.repeat(8000)],
  ];
}

function pss(header: object, claims: object, key: KeyObject): string {
  const text = `${encode(header)}.${encode(claims)}`;
  const options = { key, padding: 6, saltLength: 32 };
  return `${text}.${rawSign('sha256', Buffer.from(text), options).toString('base64url')}`;
}
