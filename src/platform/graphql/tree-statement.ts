import type { FieldNode } from 'graphql';
import { type OffsetPage, storableOffset } from '../calls/pages.js';
import type { Branch } from './tree.js';

/** The column, or property, of a row for what was read along with it: no name of a model or of GraphQL has a space. */
export const BELOW = 'read along';

/** By the names under which they stand in the answer: rows, and where the document asks for them. */
export type Below = ReadonlyMap<string, { nodes: readonly FieldNode[]; rows: object | readonly object[] | null }>;

/** The column of a member, in SQL. */
type ColumnOf = (member: string) => string;

/**
 * A statement with what stands below each of its rows: as JSON, for rows below rows would else be told again and again.
 * @param text reads rows whose columns have the names of members
 * @param given how many values it has: those of `pages` follow them
 */
export function withBelow(text: string, given: number, branches: readonly Branch[]): string {
  let rows = 0;
  let values = given;

  const jsonOf = (columnOf: ColumnOf, members: string[], below: readonly Branch[]): string =>
    `json_build_array(${[...members, ...below.map((one) => rowsOf(one, columnOf))].join(', ')})`;

  function rowsOf({ type: { table }, members, isMany, by, page, below }: Branch, above: ColumnOf): string {
    const row = `row_${++rows}`;
    const columnOf: ColumnOf = (member) => table.members.get(member)?.column(row) as string;
    const limits = page ? `LIMIT $${++values} OFFSET $${++values}` : '';
    const read = () =>
      jsonOf(
        columnOf,
        members.map((member) => member.json(row)),
        below,
      );
    const id = columnOf('id');
    if (!isMany) return `(SELECT ${read()} FROM ${table.name} AS ${row} WHERE ${id} = ${above(by)})`;
    const part = `SELECT * FROM ${table.name} AS ${row} WHERE ${columnOf(by)} = ${above('id')} ORDER BY ${id} ${limits}`;
    return `(SELECT coalesce(json_agg(${read()} ORDER BY ${id}), '[]') FROM (${part}) AS ${row})`;
  }

  const along = jsonOf((member) => `above."${member}"`, [], branches);
  return `SELECT above.*, ${along} AS "${BELOW}" FROM (${text}) AS above`;
}

/** The values of pages in the order in which `withBelow` places them. */
export const pageValues = (pages: readonly OffsetPage[]): number[] =>
  pages.flatMap(({ limit, offset }) => [limit, storableOffset(offset)]);

/** The branches that have pages, in that order. */
export const pagedBranches = (branches: readonly Branch[]): Branch[] =>
  branches.flatMap((one) => [...(one.page ? [one] : []), ...pagedBranches(one.below)]);

/** Makes rows of what was read along. @param json what the statement gave: branches come after `from` values of the row */
export const decodeBelow = (branches: readonly Branch[], json: readonly unknown[], from = 0): Below =>
  new Map(
    branches.map((branch, place) => {
      const found = json[from + place] as readonly never[] | null;
      const rows = branch.isMany ? found?.map((one) => rowOf(branch, one)) : found && rowOf(branch, found);
      return [branch.key, { nodes: branch.nodes, rows: rows ?? null }];
    }),
  );

function rowOf({ members, below }: Branch, json: readonly unknown[]): object {
  const row: Record<string, unknown> = {};
  members.forEach(({ name, decode }, place) => {
    const value = json[place];
    row[name] = decode && value !== null ? decode(value as never) : value;
  });
  if (below.length > 0) row[BELOW] = decodeBelow(below, json, members.length);
  return row;
}
