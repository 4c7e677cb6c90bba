import { Node, type ObjectLiteralExpression, type SourceFile, type SpreadAssignment } from 'ts-morph';
import { insertProperty } from './extent.js';

/** The one marker for what is deliberately not written yet, in `src/platform/calls/errors.ts`. */
export const MARKER = 'notWritten';

/** What fills in a contract by name: the handlers of a tag, or the resolvers of a type. */
export interface Members {
  readonly file: SourceFile;
  /** The names that are there. */
  names(): string[];
  /** The property that is this member and nothing else. */
  node(name: string): Node | undefined;
  /** Adds the text of a member behind another one, or else first. */
  insert(text: string, after: Node | undefined): void;
  rename(from: string, to: string): void;
}

/** Returns true for a member that is not written yet: the marker, or a route whose handler is the marker. */
export function isStub(node: Node | undefined): boolean {
  if (!Node.isPropertyAssignment(node)) return false;
  const value = node.getInitializer();
  const [parts] = Node.isCallExpression(value) ? value.getArguments() : [];
  return Node.isObjectLiteralExpression(parts) ? isStub(parts.getProperty('handler')) : value?.getText() === MARKER;
}

/** The object literal that a constant is made of, whatever is asserted of it, or whichever function checks it. */
export function literalOf(file: SourceFile | undefined, constant: string): ObjectLiteralExpression | undefined {
  let value: Node | undefined = file?.getVariableDeclaration(constant)?.getInitializer();
  while (Node.isAsExpression(value) || Node.isSatisfiesExpression(value)) value = value.getExpression();
  if (Node.isCallExpression(value)) [value] = value.getArguments();
  return Node.isObjectLiteralExpression(value) ? value : undefined;
}

/**
 * The properties of the object literal that a constant is made of.
 * @param apart whether a blank line stands between two of them
 */
export function propertiesOf(file: SourceFile, constant: string, apart = false): Members {
  const properties = () => literalOf(file, constant)?.getProperties() ?? [];
  const nameOf = (node: Node): string => {
    if (Node.isSpreadAssignment(node) || !Node.hasName(node)) return '';
    const name = Node.isPropertyAssignment(node) ? node.getNameNode() : undefined;
    return Node.isStringLiteral(name) ? name.getLiteralText() : node.getName();
  };
  return {
    file,
    names: () => properties().flatMap((one) => (Node.isSpreadAssignment(one) ? spreadNames(one) : [nameOf(one)])),
    node: (name) => properties().find((one) => nameOf(one) === name),
    insert: (text, after) => {
      const literal = literalOf(file, constant);
      if (literal) insertProperty(literal, text, after, apart);
    },
    rename: (from, to) => {
      const node = properties().find((one) => nameOf(one) === from);
      if (Node.isShorthandPropertyAssignment(node)) node.replaceWithText(`${to}: ${from}`);
      else if (Node.isPropertyAssignment(node) || Node.isMethodDeclaration(node))
        node.getNameNode().replaceWithText(to);
    },
  };
}

/** What a spread object brings along; only the compiler can say. */
const spreadNames = (spread: SpreadAssignment): string[] => {
  const properties = spread.getExpression().getType().getProperties();
  return properties.map((one) => one.getName());
};
