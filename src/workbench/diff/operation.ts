import { isPlain } from '@accord-api/platform/contract/document';
import { listOf, nodeOf, type OpenApiNode, printed, resolved, type Version, versionAt } from '../model/openapi-node.js';
import { viewOf } from '../model/schema-view.js';
import { at, judge, keywordOf, type Label, labelled, locatedIn, membersOf, type Pair, subjectOf } from './change.js';
import { compareSunsets, type Recorder, reportRequired } from './recorder.js';

/** Normalises a media type: lower case, sorted parameters, no charset of JSON (RFC 8259, 8.1). */
function mediaKey(type: string): string {
  const [name = '', ...parameters] = type
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  return [name, ...parameters.filter((part) => !(part === 'charset=utf-8' && /[/+]json$/.test(name))).sort()].join(';');
}

/** Returns the parameters of an operation and its path item, by position in the path or by name. The operation takes precedence. */
function parametersOf(operation: Version | undefined, path: string): Map<string, Version> {
  const positions = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name);
  const found = new Map<string, Version>();
  const item = operation && {
    ...operation,
    path: operation.path.slice(0, -1),
    value: { parameters: nodeOf(operation)['x-item'] },
  };
  for (const owner of [item, operation])
    for (const index of listOf(nodeOf(owner)['parameters']).keys()) {
      const version = versionAt(owner, 'parameters', index) as Version;
      const { in: place, name } = nodeOf(resolved(version));
      const key = place === 'header' ? String(name).toLowerCase() : String(name);
      // OpenAPI 3.1, 4.8.12.1: other members describe these headers.
      if (place === 'header' && ['accept', 'content-type', 'authorization'].includes(key)) continue;
      const position = place === 'path' ? positions.indexOf(key) : -1;
      found.set(position < 0 ? `${place}.${key}` : `path.#${position}`, version);
    }
  return found;
}

/** Returns the serialization of a parameter, with the defaults of OpenAPI 3.1, 4.8.12.2. */
function serializationOf(version: Version | undefined, place: string): OpenApiNode {
  const { style: stated, explode, content, allowReserved = false, allowEmptyValue = false } = nodeOf(version);
  const [type] = isPlain(content) ? Object.keys(content) : [];
  if (type !== undefined) return { content: mediaKey(type), allowReserved, allowEmptyValue };
  const style = stated ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple');
  const types = [...(viewOf(versionAt(version, 'schema')).types ?? ['object'])];
  // `explode` has no effect on other types, nor on lists in `simple` style.
  const canExplode = types.some((type) => type === 'object' || (type === 'array' && style !== 'simple'));
  return { allowReserved, allowEmptyValue, style, explode: canExplode ? (explode ?? style === 'form') : undefined };
}

/** Returns true for 4XX, 5XX and `DEFAULT`. */
const isFailure = (status: string): boolean => status === 'DEFAULT' || /^[45]/.test(status);

/** Returns the range, `4XX` or default that covers a status, or the range that covers a media type (RFC 9110, 12.5.1). */
function rangeFor(name: string, names: readonly string[]): string | undefined {
  const [type = ''] = name.split(';');
  if (name.includes('/'))
    return [type, `${type.split('/')[0]}/*`, '*/*'].find((range) => range !== name && names.includes(range));
  const range = `${name.charAt(0)}XX`;
  if (/^\dXX$|^DEFAULT$/.test(name)) return undefined;
  if (names.includes(range)) return range;
  const isDefault = isFailure(name) || !names.some((status) => status.startsWith('2'));
  return names.includes('DEFAULT') && isDefault ? 'DEFAULT' : undefined;
}

/** Returns the members of both versions by key. A range or default replaces a missing member that it covers. */
function matched(pair: Pair, keyOf: (name: string) => string): [key: string, pair: Pair][] {
  const [old, now] = [pair.old, pair.now].map((version) => {
    const names = Object.keys(nodeOf(version)).filter((name) => !name.startsWith('x-') || keyOf('X-') === 'x-');
    return new Map(names.map((name) => [keyOf(name), versionAt(version, name)]));
  }) as [Map<string, Version>, Map<string, Version>];
  const find = (all: typeof old, key: string) => all.get(key) ?? all.get(rangeFor(key, [...all.keys()]) ?? '');
  const keys = [...new Set([...old.keys(), ...now.keys()])];
  return keys.map((key) => [key, { old: find(old, key), now: find(now, key), label: pair.label }]);
}

const isRequired = (version: Version | undefined): boolean => nodeOf(resolved(version))['required'] === true;
const WRITING = 'content style explode allowReserved allowEmptyValue';
const OPERATION =
  'operationId tags parameters requestBody responses callbacks deprecated security servers x-permission x-permission-also x-rate-limit x-deprecation x-sunset x-item';

/** Returns functions that compare the requests and responses of operations, webhooks and callbacks. */
export function messageComparison(record: Recorder, compareSchema: (pair: Pair) => void) {
  function compareRequired(pair: Pair): void {
    const is = isRequired(pair.now);
    if (isRequired(pair.old) !== is) reportRequired(record, locatedIn(keywordOf(pair, 'required'), pair), is);
  }

  function compareDeprecated(pair: Pair): void {
    const [was, is] = [pair.old, pair.now].map((version) => nodeOf(version)['deprecated'] === true);
    const message = `${subjectOf(pair)} is ${is ? 'deprecated now' : 'no longer deprecated'}`;
    if (was !== is)
      record.report(keywordOf(pair, 'deprecated'), 'deprecated', 'safe', is ? 'added' : 'removed', message);
    compareSunsets(record, pair);
  }

  function compareField(pair: Pair, place: string): void {
    compareRequired(pair);
    compareDeprecated(pair);
    const [former, current] = [serializationOf(pair.old, place), serializationOf(pair.now, place)];
    for (const keyword of WRITING.split(' ')) {
      const [was, is] = [former[keyword], current[keyword]];
      const what = keyword.startsWith('allow') ? (is ? 'added' : 'removed') : 'changed';
      const message = `${keyword} of ${subjectOf(pair)}: ${printed(was)} → ${printed(is)}`;
      const member = locatedIn(keywordOf(pair, keyword), pair);
      if (was !== is) record.report(member, keyword, what === 'added' ? 'safe' : 'breaking', what, message);
    }
    record.others(pair, `name in required deprecated x-deprecation x-sunset schema ${WRITING}`);
    const schemaOf = (version: Version | undefined) => {
      const [type] = Object.keys(nodeOf(versionAt(version, 'content')));
      return type === undefined ? versionAt(version, 'schema') : versionAt(version, 'content', type, 'schema');
    };
    const text = former['content'] === undefined && pair.label.direction === 'request';
    compareSchema({ old: schemaOf(pair.old), now: schemaOf(pair.now), label: { ...pair.label, text } });
  }

  function compareParameters(operation: Pair, paths: [string, string]): void {
    const [old, now] = [parametersOf(operation.old, paths[0]), parametersOf(operation.now, paths[1])];
    for (const key of new Set([...old.keys(), ...now.keys()])) {
      const [was, is] = [old.get(key), now.get(key)];
      const [before, after] = [was, is].map((version) => String(nodeOf(resolved(version))['name']));
      const place = key.slice(0, key.indexOf('.'));
      const given = String(is ? after : before);
      const name = place === 'header' ? given.toLowerCase() : given;
      const where = `the ${place} parameters of ${operation.label.where}`;
      const label: Label = { ...operation.label, id: `${operation.label.id}parameter.${place}.${name}`, name, where };
      const pair = { old: was, now: is, label };
      if (!was || !is) comparePresence(pair, key);
      else record.shared(pair, (member) => compareField(labelled(member, { name }), place));
      const message = `one of ${where}, known by its position, has another name: \`${before}\` → \`${after}\``;
      const named = { old: was, now: versionAt(resolved(is), 'name'), label: { ...label, id: `${label.id}:name` } };
      if (was && is && place === 'path' && before !== after)
        record.report(named, 'parameterName', 'safe', 'renamed', message);
    }
  }

  /** Reports an added or removed parameter or header. The service rejects unknown query parameters and ignores unknown headers. */
  function comparePresence(pair: Pair, key: string): void {
    const isHeader = key === 'header' || pair.label.direction === 'response';
    const needed = isRequired(pair.now ?? pair.old);
    const isNeeded = pair.label.direction === 'request' && needed;
    const isMissed = isHeader ? needed && !isNeeded : needed || key.startsWith('query.');
    const note = pair.now && isNeeded ? ' and required' : '';
    const [removed, added] = [isMissed ? 'breaking' : 'risky', isNeeded ? 'breaking' : 'safe'] as const;
    record.presence(pair, isHeader ? 'header' : 'parameter', isHeader ? 'header' : '', removed, added, note);
  }

  function compareHeaders(headers: Pair): void {
    for (const [name, pair] of matched(headers, (header) => header.toLowerCase())) {
      const header = labelled(pair, { id: `${pair.label.id}.header.${name}`, name });
      // OpenAPI 3.1, 4.8.17.1: the media type replaces this header.
      if (name === 'content-type') continue;
      if (!pair.old || !pair.now) comparePresence(header, 'header');
      else record.shared(header, (member) => compareField(labelled(member, { name }), 'header'));
    }
  }

  function compareContent(message: Pair): void {
    const { id } = message.label;
    for (const [name, pair] of matched(at(message, 'content'), mediaKey)) {
      const media = labelled(pair, { id: `${id}.media.${name}`, name });
      if (!record.presence(media, 'media', 'media type')) continue;
      record.others(media, 'schema encoding');
      // All media types share the id of the body.
      compareSchema(at(pair, 'schema', { id: `${id}.body` }));
      if (!/^multipart\/|urlencoded$/.test(name)) continue;
      const parts = viewOf(versionAt(media.old, 'schema')).properties;
      for (const [part, member] of membersOf(at(media, 'encoding', { id: `${media.label.id}.encoding` })))
        if (parts.has(part)) compareEncoding(member, media);
    }
  }

  /** Compares the encoding of a part of a form (OpenAPI 3.1, 4.8.15). */
  function compareEncoding(part: Pair, media: Pair): void {
    const typesOf = (version: Version | undefined) =>
      String(nodeOf(version)['contentType'] ?? '*/*')
        .split(',')
        .map(mediaKey)
        .sort();
    const [was, is] = [typesOf(part.old), typesOf(part.now)];
    const isWithin = (some: string[], all: string[]) => some.every((type) => all.includes(type) || rangeFor(type, all));
    const verdict = judge(part.label.direction, isWithin(was, is) ? 'wider' : isWithin(is, was) ? 'narrower' : 'other');
    const message = `media type of ${subjectOf(part)}: ${was.join(', ')} → ${is.join(', ')}`;
    const pair = locatedIn(keywordOf(part, 'contentType'), media);
    if (was.join() !== is.join()) record.report(pair, 'partMedia', verdict, 'changed', message);
    compareHeaders(at(part, 'headers'));
    record.others(part, 'contentType headers');
  }

  function compareBody(operation: Pair): void {
    const { id, where, direction } = operation.label;
    const body = at(operation, 'requestBody', { id: `${id}request`, where: `the request body of ${where}` });
    const isNeeded = direction === 'request' && body.now && isRequired(body.now);
    const removed = direction === 'request' ? 'risky' : 'breaking';
    if (!body.old && !body.now) return;
    if (!record.presence(body, 'body', '', removed, isNeeded ? 'breaking' : 'safe', isNeeded ? ' and required' : ''))
      return;
    record.shared(body, (pair) => {
      compareRequired(pair);
      record.others(pair, 'required content');
      compareContent(pair);
    });
  }

  function compareResponses(responses: Pair): void {
    const { id, where } = responses.label;
    const direction = responses.label.direction === 'request' ? 'response' : 'request';
    const all = matched(responses, (status) => status.toUpperCase());
    for (const [status, pair] of all) {
      const name = status === 'DEFAULT' ? 'default' : status;
      const response = labelled(pair, { id: `${id}response.${name}`, name, direction });
      const isNarrowed =
        /XX$/.test(status) && all.some(([other, { now }]) => now && other.startsWith(status.charAt(0)));
      // Clients treat an unknown status as x00 of its class (RFC 9110, 15).
      const removed = isFailure(status) || isNarrowed ? 'safe' : 'breaking';
      const added = isFailure(status) || direction === 'request' ? 'safe' : 'risky';
      const inside = labelled(response, { name: '', where: `the ${name} response of ${where}` });
      const message = `status ${name} of ${where} is ${pair.old ? 'gone' : 'new'}`;
      if (pair.old && pair.now) record.shared(inside, compareResponse);
      else record.report(response, 'status', pair.old ? removed : added, pair.old ? 'removed' : 'added', message);
    }
  }

  function compareResponse(response: Pair): void {
    compareHeaders(at(response, 'headers'));
    for (const [name, link] of membersOf(at(response, 'links', { id: `${response.label.id}.link` }))) {
      const both = { ...link, old: resolved(link.old), now: resolved(link.now) };
      if (record.presence(link, 'link', 'link', 'risky')) record.changed(both, 'link', 'risky', `link \`${name}\``);
    }
    record.others(response, 'headers content links');
    compareContent(response);
  }

  function compareMessages(operation: Pair, paths: [string, string]): void {
    compareDeprecated(operation);
    compareParameters(operation, paths);
    compareBody(operation);
    compareResponses(at(operation, 'responses'));
    record.others(operation, OPERATION);
  }

  return { compareMessages, compareResponses };
}
