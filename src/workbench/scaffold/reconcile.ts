import type { Node } from 'ts-morph';
import type { Change } from './change.js';
import { propertyTextOf, removeWithComments } from './extent.js';
import { isStub, MARKER, type Members } from './members.js';
import { namesIn } from './move.js';
import { isParked, park, unpark } from './parked.js';
import { removeUnusedImport } from './project-files.js';
import type { Stub } from './targets.js';

/** What a contract asks of one group of members. */
interface Demand {
  /** The file's name in what is told. */
  path: string;
  /** All names that may be there, in the contract's order. */
  known: readonly string[];
  /** Those that must be. */
  required: ReadonlySet<string>;
  /** How a name is called in what is told and in what is parked. */
  label: (name: string) => string;
  /** What there is to say of a member, such as its request. */
  about: (name: string) => string;
  /** The text of a member that is not written yet, and what was changed for it elsewhere. */
  stub: (name: string) => Stub;
  /** What a member that the contract does not know is called in it now, of the names that are missing. */
  renamed: (name: string, missing: readonly string[]) => string | undefined;
  /** Why a member is parked, in a sentence. */
  gone: (name: string) => string;
}

/** Makes the members of one group those that the contract asks for. What is there already is not touched. */
export function reconcile(members: Members, demand: Demand): Change[] {
  const { path, known, required, label, about } = demand;
  const done: Change[] = [];
  const say = (kind: Change['kind'], name: string, detail: string) =>
    done.push({ kind, file: path, name: label(name), detail });
  const isWanted = (name: string) => required.has(name) || isParked(members.file, label(name));
  const missing = () => known.filter((name) => isWanted(name) && !members.names().includes(name));

  for (const name of members.names().filter((one) => !known.includes(one))) {
    const node = members.node(name);
    if (node === undefined) continue;
    const current = demand.renamed(name, missing());
    if (current !== undefined) {
      members.rename(name, current);
      say('renamed', current, `was ${name}; ${about(current)}`);
    } else if (isStub(node)) {
      const used = namesIn(node);
      removeWithComments(node);
      for (const one of used) if (one !== MARKER) removeUnusedImport(members.file, one);
      say('dropped', name, 'a stub that nobody wrote, and that the contract no longer has');
    } else {
      const text = propertyTextOf(node);
      removeWithComments(node);
      park(members.file, label(name), demand.gone(name), text);
      say('parked', name, demand.gone(name));
    }
  }
  for (const name of missing()) {
    const parked = unpark(members.file, label(name));
    const { text, changes } = parked === undefined ? demand.stub(name) : { text: parked, changes: [] };
    members.insert(text, neighbour(members, known, name));
    say(parked === undefined ? 'added' : 'restored', name, about(name));
    done.push(...changes);
  }
  return done;
}

/** The member behind which the contract has a name; none where it is the first of those that are there. */
export function neighbour(members: Members, known: readonly string[], name: string): Node | undefined {
  const above = known.slice(0, known.indexOf(name)).reverse();
  return above.map((one) => members.node(one)).find((node) => node !== undefined);
}
