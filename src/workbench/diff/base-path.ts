import { isPlain } from 'accord/contract/references';
import { listOf, nodesIn } from './operation-form.js';
import { addressOf, type BasePaths, operationsAt, type RestDocument } from './rest-operations.js';

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

/** What the servers of a document say of its addresses and the paths of the other one say themselves; empty where that is nothing. */
function movedFrom(document: RestDocument, other: RestDocument): string {
  const [base, rest] = [basePathOf(document), basePathOf(other)];
  const moved = base === undefined || rest === undefined || !base.startsWith(rest) ? '' : base.slice(rest.length);
  if (!moved.startsWith('/')) return '';
  const known = new Set(operationsAt(other).map(addressOf));
  const meets = (before: string) => operationsAt(document, before).some((one) => known.has(addressOf(one)));
  return meets(moved) && !meets('') ? moved : '';
}

/** Where an address is said by the servers in one version and by the paths in the other: what of it moved. A request stays what it was. */
export const movedBasePaths = (old: RestDocument, now: RestDocument): BasePaths => ({
  old: movedFrom(old, now),
  now: movedFrom(now, old),
});
