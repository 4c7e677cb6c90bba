import { Node, type SourceFile } from 'ts-morph';
import type { Change, Pending, Placed } from './change.js';
import { parkedHead } from './parked.js';

/** Where in a file a name is declared: a constant, a function, or a property of an object literal. */
function declarationOf(file: SourceFile, name: string): number | undefined {
  const nodes = file.forEachDescendantAsArray();
  const declared = nodes.find((node) => {
    const parent = node.getParent();
    if (!(Node.isIdentifier(node) || Node.isStringLiteral(node))) return false;
    const text = Node.isStringLiteral(node) ? node.getLiteralText() : node.getText();
    const isDeclaration =
      Node.isVariableDeclaration(parent) ||
      Node.isFunctionDeclaration(parent) ||
      Node.isPropertyAssignment(parent) ||
      Node.isShorthandPropertyAssignment(parent);
    return text === name && isDeclaration && parent.getNameNode() === node;
  });
  return declared?.getStart();
}

/** Adds to what was told where in the file it is now. */
export function placed<Thing extends Change | Pending>(file: SourceFile, thing: Thing): Placed<Thing> {
  const isParked = 'kind' in thing && thing.kind === 'parked';
  const [, field] = thing.file.startsWith('src/application/graphql/') ? thing.name.split('.') : [];
  const at = isParked ? file.getFullText().indexOf(parkedHead(thing.name)) : declarationOf(file, field ?? thing.name);
  const { line, column } = file.getLineAndColumnAtPos(Math.max(0, at ?? 0));
  return { ...thing, line, column };
}
