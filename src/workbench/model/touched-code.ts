import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { filesIn } from '@accord-api/platform/contract/project-files';
import type { SyntaxKind as Kinds, Node, ObjectLiteralExpression, SourceFile } from 'ts-morph';

/** A line of the project: a handler, a service's method, a test. */
export interface CodeLine {
  file: string;
  line: number;
  /** The name of the handler or of the method. */
  name: string;
  /** The target of a route, by which the platform decides. */
  target?: string;
}

/** The code that belongs to operations, fields or models. */
export interface TouchedCode {
  handlers: CodeLine[];
  services: CodeLine[];
  tests: CodeLine[];
}

type Side = 'rest' | 'graphql' | 'database';

/** Whose functions return the services by name: the application's, and those that it has of the platform. */
const INDEXES = ['application/services/index.ts', 'platform/services.ts'];

type Lookup = (side: Side, element: string) => Pick<TouchedCode, 'handlers' | 'services'>;

/**
 * Finds handlers and what they call: `src/application/rest/<tag>.ts` holds them by operationId, `src/application/graphql/<Type>.ts`
 * by field; both call `services.<name>.<method>`, and the functions of `INDEXES` say which files make a service.
 * Reads syntax only: the type checker would take seconds.
 */
async function codeIndex(root: string): Promise<Lookup> {
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
  const handlerOf = (side: Side, element: string): Node | undefined => {
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

interface Source {
  file: string;
  lines: string[];
}

/** The sources under a folder of the project whose names end so, in the order of their names; none where there is no such folder. */
const sourcesIn = (root: string, folder: string, suffix: string): Source[] =>
  filesIn(root)
    .list(folder)
    .filter((file) => file.endsWith(suffix))
    .map((file) => ({ file, lines: withConstants(readFileSync(join(root, file), 'utf8')).split('\n') }));

/** Tests write `${USERS}/${id}` for an address: here with what the constant stands for. */
function withConstants(text: string): string {
  const constants = [...text.matchAll(/^const (\w+) = '([^'\n]+)';$/gm)];
  return constants.reduce((all, [, name, value = '']) => all.replaceAll(`\${${name}}`, value), text);
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** An address as requests write it: `GET /api/v1/users/{}` with any id, with or without the prefix. */
function addressed(address: string): RegExp {
  const [method = '', path = ''] = address.split(' ');
  const segments = path.split('/').map((segment) => (segment === '{}' ? '[^/\'"`\\s?]+' : escaped(segment)));
  return new RegExp(`\\b${method}\\b.{0,60}['"\`]${segments.join('/')}['"\`?]`);
}

/** The lines that speak of an operation, a field or a model: the first in each file. */
function mentions(sources: readonly Source[], patterns: readonly RegExp[], name: string): CodeLine[] {
  return sources.flatMap(({ file, lines }) => {
    const at = lines.findIndex((line) => patterns.some((pattern) => pattern.test(line)));
    return at < 0 ? [] : [{ file, line: at + 1, name }];
  });
}

/** `Query.users` is asked for by name; `User.name` stands in a selection of users. */
function fieldPattern(element: string): RegExp {
  const [type = '', field = ''] = element.split('.');
  if (['Query', 'Mutation', 'Subscription'].includes(type)) return new RegExp(`\\{[^}]*\\b${field}\\b\\s*[({ ]`);
  return new RegExp(`\\b\\w*${type}s?\\b.*\\{.*\\b${field}\\b`, 'i');
}

const modelPattern = (model: string) =>
  new RegExp(`\\b(client|db|tx|transaction|prisma)\\.${model.charAt(0).toLowerCase()}${model.slice(1)}\\.`);

/** Each once, under the first of its names. */
function unique(lines: readonly CodeLine[], keyOf = ({ file, line }: CodeLine) => `${file}:${line}`): CodeLine[] {
  return lines.filter((one, index) => lines.findIndex((other) => keyOf(other) === keyOf(one)) === index);
}

/**
 * For each change the handlers, the services' methods and the tests that it touches, in the working tree of a project. Read
 * from the code as it stands, without running it: a test is found by the address or the field that it names.
 * @param addresses of the operations, by operationId: `GET /api/v1/users/{}`
 */
export async function touched(
  root: string,
  changes: readonly { side: Side; elements: string[] }[],
  addresses: ReadonlyMap<string, string>,
): Promise<TouchedCode[]> {
  if (changes.length === 0) return [];
  const index = await codeIndex(root);
  const tests = sourcesIn(root, 'test', '.test.ts');
  let services: Source[] | undefined;
  const known = new Map<string, TouchedCode>();
  const look = (side: Side, element: string): TouchedCode => {
    if (side === 'database') {
      const found = (sources: Source[]) => mentions(sources, [modelPattern(element)], element);
      services ??= sourcesIn(root, 'src', '.ts');
      return { handlers: [], services: found(services), tests: found(tests) };
    }
    const address = addresses.get(element);
    const rest = [new RegExp(`\\b${element}\\b`), ...(address === undefined ? [] : [addressed(address)])];
    const patterns = side === 'rest' ? rest : [fieldPattern(element)];
    return { ...index(side, element), tests: mentions(tests, patterns, element) };
  };
  return changes.map(({ side, elements }) => {
    const each = elements.map((element) => {
      const key = `${side}:${element}`;
      const found = known.get(key) ?? look(side, element);
      known.set(key, found);
      return found;
    });
    return {
      handlers: unique(each.flatMap((one) => one.handlers)),
      services: unique(each.flatMap((one) => one.services)),
      tests: unique(
        each.flatMap((one) => one.tests),
        ({ file }) => file,
      ),
    };
  });
}
