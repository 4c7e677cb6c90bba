/**
 * Reads a Prefer header (RFC 7240 §2): preferences separated by commas, names without regard to case, the first wins.
 * @returns the value of the preference `name`; the empty string where it has none, undefined where it is absent
 * @example
 * const background = preference(headers.prefer, 'respond-async') !== undefined;
 */
export function preference(header: string | undefined, name: string): string | undefined {
  for (const one of (header ?? '').split(',')) {
    const [key, value = ''] = (one.split(';')[0] as string).split('=').map((part) => part.trim());
    if (key?.toLowerCase() === name) return value.replace(/^"(.*)"$/, '$1').toLowerCase();
  }
  return undefined;
}
