/** How a body is read: parsed, as a string, or piece by piece as it comes. */
export type BodyKind = 'json' | 'text' | 'stream';

/** A media type without its parameters. */
export const essenceOf = (mediaType: string): string => (mediaType.split(';')[0] ?? '').trim().toLowerCase();

/** How a body of a media type is read, or one of a range such as `image/*`. */
export function kindOf(mediaType: string): BodyKind {
  const essence = essenceOf(mediaType);
  if (/[/+]json$/.test(essence)) return 'json';
  return essence.startsWith('text/') ? 'text' : 'stream';
}

/** @returns of declared media types and ranges, the one that says most of a type (OpenAPI 3.1, "Media Type Object") */
export function declaredFor(declared: readonly string[], mediaType: string): string | undefined {
  const essence = essenceOf(mediaType);
  const wanted = [essence, `${essence.split('/')[0]}/*`, '*/*'];
  return wanted.map((one) => declared.find((each) => essenceOf(each) === one)).find((one) => one !== undefined);
}
