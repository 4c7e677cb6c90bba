import { join, relative } from 'node:path';
import type { SyntaxKind as Kinds, Node, ObjectLiteralExpression, SourceFile } from 'ts-morph';
import type { Change, CodeLine, Touched } from './change.js';

/** Whose functions return the services by name: the application's, and those that it has of the platform. */
const INDEXES = ['application/services/index.ts', 'platform/services.ts'];

type Lookup = (side: Change['side'], element: string) => Pick<Touched, 'handlers' | 'services'>;

/**
 * Finds handlers and what they call: `src/application/rest/<tag>.ts` holds them by operationId, `src/application/graphql/<Type>.ts`
 * by field; both call `services.<name>.<method>`, and the functions of `INDEXES` say which files make a service.
 * Reads syntax only: the type checker would take seconds.
 */
export async function codeIndex(root: string): Promise<Lookup> {
  const { Project, SyntaxKind } = await import('ts-morph');
  const project = new Project({ skipAddingFilesFromTsConfig: true, skipFileDependencyResolution: true });
  project.addSourceFilesAtPaths(join(root, 'src', 'application', 'rest', '*.ts'));
  const open = (...path: string[]) => project.addSourceFileAtPathIfExists(join(root, 'src', ...path));
  const at = (node: Node, name: string): CodeLine => ({
    file: relative(root, node.getSourceFile().getFilePath()).replaceAll('\\', '/'),
    line: node.getStartLineNumber(),
    name,
  });
  const indexes = INDEXES.map((path) => servicesIn(open(path), SyntaxKind));
  const services: ReturnType<typeof servicesIn> = (service, method) =>
    indexes.map((find) => find(service, method)).find((found) => found.length > 0) ?? [];
  const handlers = new Map<string, Node>();
  for (const file of project.getSourceFiles()) {
    // `export const users = Contract.usersHandlers({ … })` in users.ts.
    const value = file.getVariableDeclaration(file.getBaseNameWithoutExtension())?.getInitializer();
    const [literal] = value?.asKind(SyntaxKind.CallExpression)?.getArguments() ?? [];
    for (const property of objectOf(literal, SyntaxKind)?.getProperties() ?? []) {
      const name = property.asKind(SyntaxKind.PropertyAssignment) ?? property.asKind(SyntaxKind.MethodDeclaration);
      if (name !== undefined) handlers.set(name.getName(), property);
    }
  }
  const handlerOf = (side: Change['side'], element: string): Node | undefined => {
    if (side === 'rest') return handlers.get(element);
    const [type = '', field = ''] = element.split('.');
    const file = open('application', 'graphql', `${type}.ts`);
    return objectOf(file?.getVariableDeclaration(type)?.getInitializer(), SyntaxKind)?.getProperty(field);
  };
  return (side, element) => {
    const handler = handlerOf(side, element);
    if (handler === undefined) return { handlers: [], services: [] };
    const calls = handler.getDescendantsOfKind(SyntaxKind.PropertyAccessExpression).flatMap((access) => {
      // Of the context, or taken out of it.
      const [first, service, method] = access
        .getText()
        .replace(/^context\./, '')
        .split('.');
      // `services.users` is also a part of `services.users.get`.
      const whole = access.getParent()?.isKind(SyntaxKind.PropertyAccessExpression) !== true;
      return first === 'services' && service !== undefined && whole ? services(service, method) : [];
    });
    const target = targetOf(handler, SyntaxKind);
    return {
      handlers: [{ ...at(handler, element), ...(target && { target }) }],
      services: calls.map(({ node, name }) => at(node, name)),
    };
  };
}

/** The target of a route as it is written; a constant of the file by its value. */
function targetOf(handler: Node, kinds: typeof Kinds): string | undefined {
  const [parts] =
    handler.asKind(kinds.PropertyAssignment)?.getInitializerIfKind(kinds.CallExpression)?.getArguments() ?? [];
  const target = objectOf(parts, kinds)?.getProperty('target')?.asKind(kinds.PropertyAssignment)?.getInitializer();
  const constant = target?.isKind(kinds.Identifier) ? target.getText() : '';
  return (handler.getSourceFile().getVariableDeclaration(constant)?.getInitializer() ?? target)?.getText();
}

const objectOf = (node: Node | undefined, kinds: typeof Kinds): ObjectLiteralExpression | undefined =>
  node?.asKind(kinds.ObjectLiteralExpression);

/** Where a service's method is written. */
function servicesIn(
  index: SourceFile | undefined,
  kinds: typeof Kinds,
): (service: string, method?: string) => { node: Node; name: string }[] {
  const imports = new Map<string, string>();
  for (const declaration of index?.getImportDeclarations() ?? []) {
    const path = declaration.getModuleSpecifierValue().replace(/\.js$/, '.ts');
    for (const named of declaration.getNamedImports()) {
      imports.set(named.getAliasNode()?.getText() ?? named.getName(), path);
    }
  }
  const functions = index?.getFunctions() ?? [];
  const returned = functions
    .flatMap((one) => one.getDescendantsOfKind(kinds.ReturnStatement))
    .map((statement) => objectOf(statement.getExpression(), kinds))
    .find((object) => object !== undefined);
  /** The functions of other files that make a value, straight or through a constant. */
  const makers = (node: Node | undefined, depth = 0): string[] => {
    if (node === undefined || depth > 2) return [];
    const called = node.isKind(kinds.Identifier) ? [node] : node.getDescendantsOfKind(kinds.Identifier);
    const names = called.map((one) => one.getText());
    const own = names.filter((name) => imports.has(name));
    if (own.length > 0) return own;
    return names.flatMap((name) =>
      functions.flatMap((one) => makers(one.getVariableDeclaration(name)?.getInitializer(), depth + 1)),
    );
  };
  return (service, method) => {
    const property = returned?.getProperty(service);
    const value =
      property?.asKind(kinds.PropertyAssignment)?.getInitializer() ??
      property?.asKind(kinds.ShorthandPropertyAssignment)?.getNameNode();
    const files = [...new Set(makers(value))].flatMap((name) => {
      const file = index
        ?.getProject()
        .addSourceFileAtPathIfExists(join(index.getDirectoryPath(), imports.get(name) ?? ''));
      return file === undefined ? [] : [{ file, name }];
    });
    const methods = files.flatMap(({ file }) =>
      [kinds.MethodDeclaration, kinds.PropertyAssignment, kinds.ShorthandPropertyAssignment, kinds.FunctionDeclaration]
        .flatMap((kind) => file.getDescendantsOfKind(kind))
        .filter((node) => (node as { getName?: () => string | undefined }).getName?.() === method),
    );
    const [found] = methods;
    if (method !== undefined && found !== undefined) return [{ node: found, name: `${service}.${method}` }];
    return files.slice(0, 1).flatMap(({ file, name }) => {
      const maker = file.getFunction(name);
      return maker === undefined ? [] : [{ node: maker, name: service }];
    });
  };
}
