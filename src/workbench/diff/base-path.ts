import { isPlain } from 'accord/contract/references';
import { listOf, nodesIn } from './operation-form.js';
import { addressOf, type BasePaths, operationsOf, type RestDocument } from './rest-operations.js';

/** The path of a server's address without a slash at its end: `/v1` of `https://api.test/v1/`. */
const pathOf = (url: string): string => url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '').replace(/\/$/, '');

/** The path that all servers of a document have; undefined where they differ, or where some operations have their own. */
function basePathOf(document: RestDocument): string | undefined {
  const items = nodesIn(document['paths']).map(([, item]) => item);
  const isOwn = items.some((item) =>
    [item, ...nodesIn(item).map(([, one]) => one)].some((one) => isPlain(one) && 'servers' in one),
  );
  const [first = '', ...others] = listOf(document['servers']).map((server) =>
    pathOf(String(isPlain(server) ? server['url'] : '')),
  );
  return isOwn || others.some((other) => other !== first) ? undefined : first;
}

const NONE: BasePaths = { old: '', now: '' };

/** Where an address is said by the servers in one version and by the paths in the other: what of it moved. A request stays what it was. */
export function movedBasePaths(old: RestDocument, now: RestDocument): BasePaths {
  const [was, is] = [basePathOf(old), basePathOf(now)];
  if (was === undefined || is === undefined || was === is) return NONE;
  const longer = was.length > is.length ? was : is;
  const shorter = longer === was ? is : was;
  const moved = longer.slice(shorter.length);
  if (!longer.startsWith(shorter) || !moved.startsWith('/')) return NONE;
  const addresses = (document: RestDocument, base = '') =>
    operationsOf(document, document['paths'], [], base).map(addressOf);
  const [from, to] = longer === was ? [old, now] : [now, old];
  const known = new Set(addresses(to));
  const isMoved =
    addresses(from, moved).some((address) => known.has(address)) &&
    !addresses(from).some((address) => known.has(address));
  if (!isMoved) return NONE;
  return longer === was ? { old: moved, now: '' } : { old: '', now: moved };
}
