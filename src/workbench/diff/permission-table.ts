import { type Permission, rolesIn } from 'accord/contract/document';
import { placedOperations } from 'accord/contract/placed-operations';
import type { Contracts } from '../model/contracts.js';
import { REACHES } from '../model/permissions.js';
import { ROOTS } from '../model/sdl.js';
import { namedIn } from './graphql-places.js';

/** How far a role comes, in each version; undefined where the operation is not there. */
export interface Cell {
  before: string | undefined;
  after: string | undefined;
  /** What the role has of it; `other` where it came or went with the operation. */
  change: 'none' | 'gained' | 'lost' | 'other';
}

/** A line of the matrix of `generated/permissions.md`, of both versions. */
export interface PermissionRow {
  side: 'rest' | 'graphql';
  /** The operationId, or `Type.field`. */
  by: string;
  /** Empty for GraphQL. */
  request: string;
  /** The condition under which it counts; empty for always. */
  when: string;
  /** Of anonymous, and of each role. */
  cells: Cell[];
  presence: 'both' | 'added' | 'removed';
}

export interface PermissionTable {
  /** `anonymous`, and each role. */
  columns: string[];
  rows: PermissionRow[];
}

type Line = Pick<PermissionRow, 'side' | 'by' | 'request' | 'when'> & {
  key: string;
  reach: (column: string) => string;
};

const ANONYMOUS = 'anonymous';
/** From nothing to everything. A public operation may ask for a secret that is no user's: its scheme is between. */
const ORDER = ['401', ...REACHES, 'open'];
const stepOf = (reach: string): number => (ORDER.includes(reach) ? ORDER.indexOf(reach) : ORDER.length - 1.5);

const reachBy =
  (permission: Permission) =>
  (column: string): string =>
    column === ANONYMOUS ? '401' : (permission[column] ?? 'none');

/** What a public operation asks for all the same. */
function openTo(security: Record<string, unknown>[] | undefined): string {
  const optional = security === undefined || security.length === 0 || security.some((one) => isEmpty(one));
  return optional ? 'open' : security.flatMap((one) => Object.keys(one)).join(', ');
}

const isEmpty = (one: object): boolean => Object.keys(one).length === 0;

function restLines({ written }: Contracts['openapi']): Line[] {
  return placedOperations(written).flatMap(({ operation, method, path }) => {
    const { operationId, 'x-permission': main, 'x-permission-also': further = [] } = operation;
    const request = `${method.toUpperCase()} ${path}`;
    const by = operationId ?? request;
    const one = { side: 'rest' as const, by, request, when: '' };
    if (main === 'public') {
      const reach = openTo((operation.security ?? written.security) as Record<string, unknown>[] | undefined);
      return [{ ...one, key: by, reach: () => reach }];
    }
    const stated = [main, ...further].filter((each) => typeof each === 'object' && each !== null) as Permission[];
    return stated.map((permission, index) => ({
      ...one,
      key: index === 0 ? by : `${by} ${permission.action}`,
      when: String(permission.when ?? ''),
      reach: reachBy(permission),
    }));
  });
}

function graphqlLines({ schema, permissions }: Contracts): Line[] {
  const fields = [...namedIn(schema).keys()].filter((path) => {
    const [type = '', field, more] = path.split('.');
    return ROOTS.includes(type) && field !== undefined && more === undefined;
  });
  return fields.flatMap((by) => {
    const one = { side: 'graphql' as const, by, request: '', when: '' };
    const stated = permissions.statements.filter((statement) => statement.by === by);
    if (stated.length === 0) return [{ ...one, key: by, reach: () => 'open' }];
    return stated.map(({ permission }, index) => ({
      ...one,
      key: index === 0 ? by : `${by} ${permission.action}`,
      when: String(permission.when ?? ''),
      reach: reachBy(permission),
    }));
  });
}

const linesOf = (contracts: Contracts): Map<string, Line> =>
  new Map(
    [...restLines(contracts.openapi), ...(contracts.schema.absent ? [] : graphqlLines(contracts))].map((line) => [
      `${line.side} ${line.key}`,
      line,
    ]),
  );

function cellOf(before: string | undefined, after: string | undefined): Cell {
  if (before === undefined || after === undefined) return { before, after, change: 'other' };
  const step = stepOf(after) - stepOf(before);
  return { before, after, change: before === after ? 'none' : step > 0 ? 'gained' : step < 0 ? 'lost' : 'other' };
}

/** What an operation is called now that had another id at the same address, or had none. */
function renamed(old: Map<string, Line>, now: Map<string, Line>): Map<string, string> {
  const addressOf = ({ request }: Line) => request.replaceAll(/\{[^{}]*\}/g, '{}');
  const fresh = [...now].filter(([key, { request }]) => request !== '' && !old.has(key));
  const byAddress = new Map(fresh.map(([key, line]) => [`${addressOf(line)} ${line.when}`, key]));
  return new Map(
    [...old].flatMap(([key, line]) => {
      const found = now.has(key) ? undefined : byAddress.get(`${addressOf(line)} ${line.when}`);
      return found === undefined ? [] : [[key, found]];
    }),
  );
}

/** Who may do what in two versions of sound contracts; undefined where neither says anything of it. */
export function permissionTable(before: Contracts, after: Contracts): PermissionTable | undefined {
  const roles = [...new Set([...after.permissions.roles, ...before.permissions.roles])];
  const named = [before, after].flatMap(({ permissions }) => permissions.statements.map((one) => one.permission));
  if (named.flatMap(rolesIn).length === 0) return undefined;
  const [stated, now] = [linesOf(before), linesOf(after)];
  const names = renamed(stated, now);
  const old = new Map([...stated].map(([key, line]) => [names.get(key) ?? key, line]));
  const columns = [ANONYMOUS, ...roles];
  const rows = [...new Set([...now.keys(), ...old.keys()])].map((key): PermissionRow => {
    const [was, is] = [old.get(key), now.get(key)];
    const { side, by, request, when } = (is ?? was) as Line;
    const cells = columns.map((column) => cellOf(was?.reach(column), is?.reach(column)));
    const presence = was === undefined ? 'added' : is === undefined ? 'removed' : 'both';
    return { side, by, request, when, cells, presence };
  });
  return { columns, rows };
}

/** Whether anything of a line differs. */
export const isChanged = ({ cells }: PermissionRow): boolean => cells.some(({ change }) => change !== 'none');
