import { readFileSync } from 'node:fs';

export type Cell = 'any' | 'own' | 'none' | 'open' | '401' | string;
export type Role = 'viewer' | 'developer' | 'admin';
export type Line = Record<Role | 'anonymous', Cell> & {
  /** The operationId, or `Type.field`. */
  name: string;
  /** The condition of a further permission. */
  when: string | undefined;
  /** By column: `yes` for an accepted mechanism. */
  cells: Record<string, Cell>;
};

/** Reads the committed matrix, which people review. It is the only source of expectations. */
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

/** Returns true if the rows of one operation permit a role to act on its own resources, or on those of others. */
export const allows = (lines: Line[], role: Role, own: boolean): boolean =>
  lines.every((line) => line[role] === 'any' || (line[role] === 'own' && own));
