import { isPlain, keysOf, valueAt } from 'accord/contract/references';
import { type Direction, enter, type Fact, type Form, type Spot, type Value } from './form.js';

/** The spot of a whole document, from which its form is built. */
export const rootSpot = (form: Form, document?: unknown): Spot => ({
  form,
  document,
  path: [],
  id: '',
  source: [],
  name: '',
  where: '',
  direction: 'request',
  element: '',
});

interface Step {
  /** The key in the form. */
  key?: string | string[];
  /** What is appended to the id, with its separator. */
  id?: string;
  source?: string | number | (string | number)[];
  name?: string;
  where?: string;
  direction?: Direction;
}

/** The spot one step further down. */
export const down = (spot: Spot, { key = [], id = '', source = [], ...rest }: Step): Spot => ({
  ...spot,
  ...rest,
  path: spot.path.concat(key),
  id: spot.id + id,
  source: spot.source.concat(source),
});

/** Enters what stands at a spot, to be judged by a rule; without a value a branch, to which more is entered. */
export function note(
  { form, path, id, source, name, where, direction, element }: Spot,
  rule: string,
  value?: Value,
  more: Pick<Fact, 'part' | 'requirements'> = {},
) {
  enter(form, path, { rule, id, source, name, where, direction, element, ...more }, value);
}

type Node = Record<string, unknown>;

/**
 * What a node is, its reference followed. What a component says of itself has the component's id and place, so that one
 * edit of it is one change, however many operations it reaches. A reference that leads nowhere, out of the document or to
 * itself is nothing.
 */
export function follow(
  node: unknown,
  spot: Spot,
  before: readonly unknown[] = [],
): { node: Node; spot: Spot; component?: string } {
  if (!isPlain(node) || before.includes(node)) return { node: {}, spot };
  const reference = node['$ref'];
  if (typeof reference !== 'string') return { node, spot };
  const source = keysOf(reference);
  const target = valueAt(spot.document, source);
  const [, kind = '', name = ''] = source;
  const component = spot.formerNames?.get(name) ?? name;
  const schema = kind === 'schemas' && source.length === 3;
  const id = schema ? `${component}:${spot.direction}` : `${source.slice(1).join('.')}:${spot.direction}`;
  const where = schema ? `${component} in ${spot.direction}s` : component;
  return { ...follow(target, { ...spot, source, id, where, name: '' }, [...before, node]), component };
}
