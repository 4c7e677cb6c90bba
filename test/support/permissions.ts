import { readFileSync } from 'node:fs';

export type Cell = 'any' | 'own' | 'none' | 'open' | '401' | string;
export type Role = 'viewer' | 'developer' | 'admin';
export type Line = Record<Role | 'anonymous', Cell> & {
  /** The operationId, or `Type.field`. */
  name: string;
  /** The condition under which the line counts besides the others of its name. */
  when: string | undefined;
  /** By the name of a column: `yes` where the mechanism is taken. */
  cells: Record<string, Cell>;
};

/** The committed matrix as people review it; what the tests expect is read from there and from nowhere else. */
export function readMatrix(): { rest: Line[]; graphql: Line[] } {
  const [, rest = '', graphql = ''] = readFileSync('generated/permissions.md', 'utf8').split(/^## .*\n/m);
  return { rest: readTable(rest), graphql: readTable(graphql) };
}

function readTable(text: string): Line[] {
  const [columns = [], , ...lines] = text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
  return lines.map((line) => {
    const cells = Object.fromEntries(columns.map((column, place) => [column, line[place] ?? '']));
    const [name = '', when] = (line[0] ?? '').split(', when ');
    const { anonymous = '', viewer = '', developer = '', admin = '' } = cells;
    return { name, when, anonymous, viewer, developer, admin, cells };
  });
}

/** Whether the lines of one operation let a role do it to its own, or to another's. */
export const allows = (lines: Line[], role: Role, own: boolean): boolean =>
  lines.every((line) => line[role] === 'any' || (line[role] === 'own' && own));
