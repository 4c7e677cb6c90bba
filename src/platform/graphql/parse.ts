import { type ASTNode, type DocumentNode, type GraphQLError, Kind, parse, type SourceLocation, visit } from 'graphql';

const places = new WeakMap<ASTNode, SourceLocation>();

/**
 * Parses a document. Where its nodes stand is written down once: graphql would look it up for each error, reading the text
 * from its beginning, and a field of a list can fail thousands of times.
 * @param maxTokens graphql stops reading there
 */
export function parseDocument(text: string, maxTokens: number): DocumentNode {
  const document = parse(text, { maxTokens });
  visit(document, {
    enter(node) {
      if (node.kind === Kind.DOCUMENT || !node.loc) return;
      const { line, column } = node.loc.startToken;
      places.set(node, { line, column });
      Object.assign(node, { loc: undefined });
    },
  });
  return document;
}

/** Where in its document an error is: as graphql found it, as for syntax, or else by the nodes that it names. */
export const locationsOf = ({ locations, nodes = [] }: GraphQLError): readonly SourceLocation[] | undefined => {
  const found = locations ?? nodes.flatMap((node) => places.get(node) ?? []);
  return found.length > 0 ? found : undefined;
};
