import { METHODS, type Method, type OpenApiDocument } from './document.js';

/** Where a path stands: in which version, and where in it. */
interface Place {
  /** `2` */
  version: string;
  /** `/users/{user_id}` */
  rest: string;
}

/** The place of a path or template in a version; undefined for what has no versions, such as `/livez`. */
export function placeOf(path: string): Place | undefined {
  const [, version, rest] = /^\/api\/v([1-9]\d*)(\/.*)$/.exec(path) ?? [];
  return version === undefined || rest === undefined ? undefined : { version, rest };
}

/** What the addresses of a version begin with. */
export const prefixOf = (version: string): string => `/api/v${version}`;

/** A template with its parameters' names left out: two that look alike are one address. */
export const shapeOf = (template: string): string => template.replaceAll(/{\w+}/g, '{}');

/** The versions that a contract has, oldest first: those whose prefix begins one of its paths. */
export function versionsOf({ paths }: Pick<OpenApiDocument, 'paths'>): string[] {
  const named = Object.keys(paths).flatMap((path) => placeOf(path)?.version ?? []);
  return [...new Set(named)].sort((one, other) => Number(one) - Number(other));
}

/**
 * The contract with each path that it serves. A contract says each operation once, in the version that brought it: it goes on
 * in every newer one, until one states the same method and path itself, or after its own `x-last-version`.
 * @param document with references to operations followed (`normaliseOpenApi`); it is left as it is
 */
export function everyVersion<Document extends Pick<OpenApiDocument, 'paths'>>(document: Document): Document {
  const paths = { ...document.paths };
  const states = new Set(
    Object.entries(paths).flatMap(([path, item]) =>
      METHODS.filter((method) => item[method]).map((method) => `${method} ${shapeOf(path)}`),
    ),
  );
  /** What goes on from a version in the next one. */
  function goOn(from: string, to: string): void {
    for (const [path, item] of Object.entries(paths)) {
      const place = placeOf(path);
      if (place?.version !== from) continue;
      const next = prefixOf(to) + place.rest;
      const goesOn = (method: Method) =>
        item[method] !== undefined &&
        Number(to) <= (item[method]['x-last-version'] ?? Number.POSITIVE_INFINITY) &&
        !states.has(`${method} ${shapeOf(next)}`);
      for (const method of METHODS.filter(goesOn)) paths[next] = { ...paths[next], [method]: item[method] };
    }
  }
  const versions = versionsOf(document);
  for (const [index, to] of versions.entries()) {
    const from = versions[index - 1];
    if (from !== undefined) goOn(from, to);
  }
  return { ...document, paths };
}
