import { attributeOf, type PrismaField, type PrismaSource } from './prisma-schema.js';
import { type Problem, problemAt } from './problems.js';

/** The model that the platform reads and writes itself, by SQL. */
const MODEL = 'User';
/** Functions of `@default` that are defaults of the column as well: all others are called by Prisma alone. */
const OF_THE_DATABASE = new Set(['autoincrement', 'dbgenerated', 'now', 'sequence']);

/** What of a member Prisma alone would do: the word to be underlined, and what to write instead. */
function doneByPrisma(field: PrismaField, mapped: ReadonlySet<string>): [word: string, advice: string] | undefined {
  const called = /^(\w+)\(/.exec(attributeOf(field, '@default')?.args ?? '')?.[1];
  if (called !== undefined && !OF_THE_DATABASE.has(called)) {
    return [called, `${called}() is a default of Prisma's: have the database make it, by @default(dbgenerated("…")).`];
  }
  if (attributeOf(field, '@updatedAt')) {
    return ['@updatedAt', '@updatedAt is kept by Prisma: have a trigger of a migration keep it, with a @default.'];
  }
  if (mapped.has(field.type)) {
    return [
      field.type,
      `values of ${field.type} have other names in the database (@map), which only Prisma translates.`,
    ];
  }
  return undefined;
}

/** The members of a user of which the platform, that writes accounts by SQL, could not do what Prisma would. */
export function userProblems({ file, text, models, enums }: PrismaSource): Problem[] {
  const mapped = new Set(
    enums.filter(({ values }) => values.some((one) => attributeOf(one, '@map'))).map((one) => one.name),
  );
  const lines = text.split(/\r?\n/);
  const fields = models.find(({ name }) => name === MODEL)?.fields ?? [];
  return fields.flatMap((field) => {
    const [word, advice] = doneByPrisma(field, mapped) ?? [];
    if (word === undefined) return [];
    const { line } = field;
    const column = (lines[line - 1] ?? '').indexOf(word, field.column + field.name.length - 1) + 1;
    const message = `The platform writes users by SQL, without Prisma; ${advice}`;
    return [problemAt(file, text, { line, column, length: word.length }, 'user-member', message)];
  });
}
