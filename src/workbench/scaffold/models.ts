import { join } from 'node:path';
import { Node, type Project, type SourceFile } from 'ts-morph';
import { attributeOf, type PrismaModel } from '../model/prisma-schema.js';
import type { Change } from './report.js';
import { importNamed, insert } from './source-edits.js';

const PATH = 'src/application/models.ts';

/** A model of prisma/schema.prisma that a route can name as its target. */
export interface TargetModel {
  /** The constant of models.ts, or the one that `declare` adds. */
  constant: string;
  hasOwner: boolean;
  stored: PrismaModel;
}

export interface Models {
  /** Finds a model by a noun of the contracts: `order`, `Order`. */
  find: (noun: string) => TargetModel | undefined;
  /** Declares a model that models.ts lacks. `read` is the action that reading a row takes. */
  declare: (model: TargetModel, read: string) => Change[];
}

/** Returns true if a row of one model names a row of the other. */
export const refersTo = (one: TargetModel, other: TargetModel): boolean =>
  one.stored.fields.some(
    (field) => field.type === other.stored.name && attributeOf(field, '@relation')?.args?.includes('fields:'),
  );

/** Returns the field with the account of a row, where the model has one. */
const accountField = ({ fields }: PrismaModel): string | undefined => {
  const relation = fields.find(({ type, attributes }) => type === 'User' && attributes.length > 0);
  return /fields: \[(\w+)\]/.exec((relation && attributeOf(relation, '@relation')?.args) ?? '')?.[1];
};

/** Finds `export const Post = model('Post', { … })`, or the platform's model of accounts under its own name. */
function declarationOf(file: SourceFile, name: string): { constant: string; hasOwner: boolean } | undefined {
  for (const declaration of file.getVariableDeclarations()) {
    const value = declaration.getInitializer();
    const constant = declaration.getName();
    if (Node.isIdentifier(value) && constant === name) return { constant, hasOwner: true };
    if (!Node.isCallExpression(value) || value.getExpression().getText() !== 'model') continue;
    const [first, options] = value.getArguments();
    if (!Node.isStringLiteral(first) || first.getLiteralText() !== name) continue;
    const hasOwner = !Node.isObjectLiteralExpression(options) || options.getProperty('owner') !== undefined;
    return { constant, hasOwner };
  }
  return undefined;
}

/** Returns the models of the application; undefined where it has no models.ts or no routes.ts. */
export function openModels(project: Project, root: string, prisma: readonly PrismaModel[]): Models | undefined {
  const file = project.getSourceFile(join(root, PATH));
  const list = () => file?.getVariableDeclaration('models')?.getInitializer();
  const hasRoutes = project.getSourceFile(join(root, 'src/application/routes.ts')) !== undefined;
  if (!file || !hasRoutes || !Node.isArrayLiteralExpression(list())) return undefined;
  return {
    find(noun) {
      const stored = prisma.find(({ name }) => name.toLowerCase() === noun.replaceAll('_', '').toLowerCase());
      // Targets name rows by integers.
      if (!stored?.fields.some(({ name, type }) => name === 'id' && type === 'Int')) return undefined;
      const added = { constant: stored.name, hasOwner: accountField(stored) !== undefined };
      return { ...(declarationOf(file, stored.name) ?? added), stored };
    },
    declare({ stored }, read) {
      const { name } = stored;
      if (declarationOf(file, name)) return [];
      const account = accountField(stored);
      const owner = account === undefined ? '' : `, owner: (caller) => ({ ${account}: caller.id })`;
      importNamed(file, '@accord-api/platform', 'model');
      const statement = file.getVariableStatementOrThrow('models');
      insert(file, statement.getStart(), `export const ${name} = model('${name}', { read: '${read}'${owner} });\n\n`);
      const models = list();
      if (Node.isArrayLiteralExpression(models)) models.addElement(name);
      return [{ kind: 'added', file: PATH, name, detail: 'a model of prisma/schema.prisma' }];
    },
  };
}
