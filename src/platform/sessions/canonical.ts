/** Longer than any token we issue; nothing above it is worth a look. */
const LONGEST = 4096;

/**
 * Tells whether a compact JWS has the one spelling that is accepted: three parts, each equal to its own re-encoding
 * (no padding, no stray low bits, no other alphabet), and no member twice in its header. jose alone accepts several.
 */
export function isCanonicalJws(token: string): boolean {
  if (token.length > LONGEST) return false;
  const parts = token.split('.');
  if (parts.length !== 3 || !parts.every((part) => part !== '' && recoded(part) === part)) return false;
  return hasUniqueMembers(Buffer.from(parts[0] as string, 'base64url').toString());
}

const recoded = (part: string) => Buffer.from(part, 'base64url').toString('base64url');

/** RFC 7515 §4: header member names must be unique. Ours are flat JSON without white space. */
const hasUniqueMembers = (header: string): boolean => {
  try {
    return JSON.stringify(JSON.parse(header)) === header;
  } catch {
    return false;
  }
};
