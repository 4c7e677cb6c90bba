import { join } from 'node:path';
import { Node, type Project, type SourceFile } from 'ts-morph';
import { attributeOf, type PrismaModel } from '../model/prisma-schema.js';
import type { Change } from './change.js';
import { insert } from './extent.js';
import { importNamed } from './project-files.js';

const PATH = 'src/application/models.ts';
const ROUTES = 'src/application/routes.ts';

/** A model of prisma/schema.prisma, as far as a target depends on it. */
export interface TargetModel {
  readonly name: string;
  /** The constant of models.ts, or the one that `declare` adds. */
  readonly constant: string;
  readonly hasOwner: boolean;
  /** Whether a row names a row of the other model. */
  readonly refersTo: (other: TargetModel) => boolean;
}

export interface Models {
  /** By a noun of the contracts: `order`, `Order`. */
  readonly find: (noun: string) => TargetModel | undefined;
  /** Adds the declaration of a model that models.ts lacks. `read`: the action that reading a row takes. */
  readonly declare: (model: TargetModel, read: string) => Change[];
}

/** The field that refers to the account of a row, where the model has one. */
const accountField = ({ fields }: PrismaModel): string | undefined => {
  const relation = fields.find(({ type, attributes }) => type === 'User' && attributes.length > 0);
  return /fields: \[(\w+)\]/.exec((relation && attributeOf(relation, '@relation')?.args) ?? '')?.[1];
};

/** The declaration `export const Post = model('Post', { … })`, or the platform's model of accounts under its own name. */
function declarationOf(file: SourceFile, name: string): { constant: string; hasOwner: boolean } | undefined {
  for (const declaration of file.getVariableDeclarations()) {
    const value = declaration.getInitializer();
    const constant = declaration.getName();
    if (Node.isCallExpression(value) && value.getExpression().getText() === 'model') {
      const [first, options] = value.getArguments();
      if (!Node.isStringLiteral(first) || first.getLiteralText() !== name) continue;
      return {
        constant,
        hasOwner: !Node.isObjectLiteralExpression(options) || options.getProperty('owner') !== undefined,
      };
    }
    if (Node.isIdentifier(value) && constant === name) return { constant, hasOwner: true };
  }
  return undefined;
}

/** The models of the application; undefined where it has no models.ts and routes.ts to write routes by. */
export function openModels(project: Project, root: string, prisma: readonly PrismaModel[]): Models | undefined {
  const file = project.getSourceFile(join(root, PATH));
  const list = file?.getVariableDeclaration('models')?.getInitializer();
  if (!file || !Node.isArrayLiteralExpression(list) || !project.getSourceFile(join(root, ROUTES))) return undefined;
  const refersTo = (stored: PrismaModel) => (other: TargetModel) =>
    stored.fields.some((one) => one.type === other.name && attributeOf(one, '@relation')?.args?.includes('fields:'));
  return {
    find(noun) {
      const stored = prisma.find(({ name }) => name.toLowerCase() === noun.replaceAll('_', '').toLowerCase());
      // Targets name rows by integers.
      if (!stored?.fields.some(({ name, type }) => name === 'id' && type === 'Int')) return undefined;
      const { name } = stored;
      const declared = declarationOf(file, name) ?? { constant: name, hasOwner: accountField(stored) !== undefined };
      return { name, ...declared, refersTo: refersTo(stored) };
    },
    declare({ name }, read) {
      const stored = prisma.find((one) => one.name === name);
      if (!stored || declarationOf(file, name)) return [];
      const account = accountField(stored);
      const owner = account === undefined ? '' : `, owner: (caller) => ({ ${account}: caller.id })`;
      importNamed(file, '@accord-api/platform', 'model', false);
      const models = file.getVariableDeclarationOrThrow('models');
      insert(
        file,
        models.getVariableStatementOrThrow().getStart(),
        `export const ${name} = model('${name}', { read: '${read}'${owner} });\n\n`,
      );
      const now = file.getVariableDeclarationOrThrow('models').getInitializer();
      if (Node.isArrayLiteralExpression(now)) now.addElement(name);
      return [{ kind: 'added', file: PATH, name, detail: 'a model of prisma/schema.prisma' }];
    },
  };
}
