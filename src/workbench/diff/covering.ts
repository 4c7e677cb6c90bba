import { isPlain } from 'accord/contract/references';

/** A media type by which two are the same: in lower case, its parameters in one order. */
export function mediaKey(type: string): string {
  const [name = '', ...parameters] = type
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  // JSON is UTF-8 whether it says so or not (RFC 8259, 8.1).
  const told = parameters.filter((one) => !(one === 'charset=utf-8' && /[/+]json$/.test(name)));
  return [name, ...told.sort()].join(';');
}

/** The media types of a body or response, its reference followed. */
export const mediaNames = (node: unknown): string[] =>
  isPlain(node) && isPlain(node['content']) ? Object.keys(node['content']).map(mediaKey) : [];

/** Statuses in which a request fails; `DEFAULT` stands for those that are not listed, which is how failures are written. */
export const isFailure = (status: string): boolean => status === 'DEFAULT' || /^[45]/.test(status);

/**
 * Which of the names covers one that is not among them: a media type range (RFC 9110, 12.5.1), `4XX` for a status, or the
 * default, which stands for failures where a success is listed.
 */
export function covering(name: string, names: readonly string[]): string | undefined {
  if (names.includes(name)) return name;
  if (!name.includes('/')) {
    if (/^\dXX$|^DEFAULT$/.test(name)) return undefined;
    const range = `${name.charAt(0)}XX`;
    if (names.includes(range)) return range;
    const successes = names.some((one) => one.startsWith('2'));
    return names.includes('DEFAULT') && (isFailure(name) || !successes) ? 'DEFAULT' : undefined;
  }
  const [bare = ''] = name.split(';');
  return [bare, `${bare.split('/')[0]}/*`, '*/*'].find((one) => one !== name && names.includes(one));
}
