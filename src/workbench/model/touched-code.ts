import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { filesIn } from '@accord-api/platform/contract/project-files';
import type { Node, ObjectLiteralExpression } from 'ts-morph';

/** A line of the project with a handler, a service's method, or a test. */
export interface CodeLine {
  file: string;
  line: number;
  name: string;
  target?: string;
}

export interface TouchedCode {
  handlers: CodeLine[];
  services: CodeLine[];
  tests: CodeLine[];
}

type Side = 'rest' | 'graphql' | 'database';

interface Source {
  file: string;
  lines: string[];
}

const sourcesIn = (root: string, folder: string, suffix: string): Source[] =>
  filesIn(root)
    .list(folder)
    .filter((file) => file.endsWith(suffix))
    .map((file) => ({ file, lines: withConstants(readFileSync(join(root, file), 'utf8')).split('\n') }));

/** Replaces the constants in template literals by their values: tests write `${USERS}/${id}` for an address. */
function withConstants(text: string): string {
  const constants = [...text.matchAll(/^const (\w+) = '([^'\n]+)';$/gm)];
  return constants.reduce((all, [, name, value = '']) => all.replaceAll(`\${${name}}`, value), text);
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Returns a pattern for an address in a request: `GET /api/v1/users/{}` with any id. */
function addressPattern(address: string): RegExp {
  const [method = '', path = ''] = address.split(' ');
  const segments = path.split('/').map((segment) => (segment === '{}' ? '[^/\'"`\\s?]+' : escaped(segment)));
  return new RegExp(`\\b${method}\\b.{0,60}['"\`]${segments.join('/')}['"\`?]`);
}

/** Returns a pattern for a root field, or for a field in a selection of its type. */
function fieldPattern(element: string): RegExp {
  const [type = '', field = ''] = element.split('.');
  if (['Query', 'Mutation', 'Subscription'].includes(type)) return new RegExp(`\\{[^}]*\\b${field}\\b\\s*[({ ]`);
  return new RegExp(`\\b\\w*${type}s?\\b.*\\{.*\\b${field}\\b`, 'i');
}

const modelPattern = (model: string) =>
  new RegExp(`\\b(client|db|tx|transaction|prisma)\\.${model.charAt(0).toLowerCase()}${model.slice(1)}\\.`);

function mentions(sources: readonly Source[], patterns: readonly RegExp[], name: string): CodeLine[] {
  return sources.flatMap(({ file, lines }) => {
    const at = lines.findIndex((line) => patterns.some((pattern) => pattern.test(line)));
    return at < 0 ? [] : [{ file, line: at + 1, name }];
  });
}

const TRANSPORTS = /^src\/application\/(?:rest|graphql)\//;

/** Finds `services.<service>.<method>` in the first file that exports `<service>` or `<service>Service`. */
function serviceLine(sources: readonly Source[], service: string, method: string | undefined): CodeLine | undefined {
  const declaration = (name: string) => new RegExp(`^\\s+(?:async )?(?:function )?${name}\\s*[:(<]`);
  const exported = new RegExp(`^export (?:async )?(?:const|function) ${service}(?:Service)?\\b`);
  const others = sources.filter(({ file }) => !TRANSPORTS.test(file));
  const [found] = mentions(others, [exported], service);
  if (found === undefined) return mentions(others, [declaration(service)], service)[0];
  const own = others.filter(({ file }) => file === found.file);
  return (method && mentions(own, [declaration(method)], `${service}.${method}`)[0]) || found;
}

type FindHandler = (side: Side, element: string) => Pick<TouchedCode, 'handlers' | 'services'>;

/**
 * Creates a function that finds handlers and the services they call: operations in `src/application/rest/<tag>.ts`, fields in
 * `src/application/graphql/<Type>.ts`. Parses only the syntax, because type checking would take seconds.
 */
async function handlerFinder(root: string, sources: () => readonly Source[]): Promise<FindHandler> {
  const { Project, SyntaxKind } = await import('ts-morph');
  const project = new Project({ skipAddingFilesFromTsConfig: true, skipFileDependencyResolution: true });
  project.addSourceFilesAtPaths(join(root, 'src', 'application', 'rest', '*.ts'));
  const objectOf = (node: Node | undefined): ObjectLiteralExpression | undefined =>
    node?.asKind(SyntaxKind.ObjectLiteralExpression);

  const handlers = new Map<string, Node>();
  for (const file of project.getSourceFiles()) {
    // `export const users = Contract.usersHandlers({ … })` in users.ts.
    const value = file.getVariableDeclaration(file.getBaseNameWithoutExtension())?.getInitializer();
    const [literal] = value?.asKind(SyntaxKind.CallExpression)?.getArguments() ?? [];
    for (const property of objectOf(literal)?.getProperties() ?? []) {
      const named = property.asKind(SyntaxKind.PropertyAssignment) ?? property.asKind(SyntaxKind.MethodDeclaration);
      if (named !== undefined) handlers.set(named.getName(), property);
    }
  }

  function handlerOf(side: Side, element: string): Node | undefined {
    if (side === 'rest') return handlers.get(element);
    const [type = '', field = ''] = element.split('.');
    const file = project.addSourceFileAtPathIfExists(join(root, 'src', 'application', 'graphql', `${type}.ts`));
    return objectOf(file?.getVariableDeclaration(type)?.getInitializer())?.getProperty(field);
  }

  /** Returns the target of a route as it is written. A constant of the file is replaced by its value. */
  function targetOf(handler: Node): string | undefined {
    const route = handler.asKind(SyntaxKind.PropertyAssignment)?.getInitializerIfKind(SyntaxKind.CallExpression);
    const property = objectOf(route?.getArguments()[0])?.getProperty('target');
    const target = property?.asKind(SyntaxKind.PropertyAssignment)?.getInitializer();
    const constant = target?.isKind(SyntaxKind.Identifier) ? target.getText() : '';
    return (handler.getSourceFile().getVariableDeclaration(constant)?.getInitializer() ?? target)?.getText();
  }

  return (side, element) => {
    const handler = handlerOf(side, element);
    if (handler === undefined) return { handlers: [], services: [] };
    const file = relative(root, handler.getSourceFile().getFilePath()).replaceAll('\\', '/');
    const target = targetOf(handler);
    const calls = [...handler.getText().matchAll(/(?<![.\w])(?:context\.)?services\.(\w+)(?:\.(\w+))?/g)];
    return {
      handlers: [{ file, line: handler.getStartLineNumber(), name: element, ...(target && { target }) }],
      services: calls.flatMap(([, service = '', method]) => serviceLine(sources(), service, method) ?? []),
    };
  };
}

const unique = (lines: readonly CodeLine[], keyOf = ({ file, line }: CodeLine) => `${file}:${line}`): CodeLine[] =>
  lines.filter((one, index) => lines.findIndex((other) => keyOf(other) === keyOf(one)) === index);

/**
 * Returns for each change the handlers, services and tests in the working tree. Reads the sources without running them, and finds
 * tests by the address or field that they name.
 * @param addresses the addresses of operations by operationId: `GET /api/v1/users/{}`
 */
export async function touched(
  root: string,
  changes: readonly { side: Side; elements: string[] }[],
  addresses: ReadonlyMap<string, string>,
): Promise<TouchedCode[]> {
  if (changes.length === 0) return [];
  let loaded: Source[] | undefined;
  const sources = () => {
    loaded ??= sourcesIn(root, 'src', '.ts');
    return loaded;
  };
  const find = await handlerFinder(root, sources);
  const tests = sourcesIn(root, 'test', '.test.ts');
  const known = new Map<string, TouchedCode>();
  const look = (side: Side, element: string): TouchedCode => {
    if (side === 'database') {
      const patterns = [modelPattern(element)];
      const services = mentions(sources(), patterns, element);
      return { handlers: [], services, tests: mentions(tests, patterns, element) };
    }
    const address = addresses.get(element);
    const rest = [new RegExp(`\\b${element}\\b`), ...(address === undefined ? [] : [addressPattern(address)])];
    const patterns = side === 'rest' ? rest : [fieldPattern(element)];
    return { ...find(side, element), tests: mentions(tests, patterns, element) };
  };
  return changes.map(({ side, elements }) => {
    const each = elements.map((element) => {
      const key = `${side}:${element}`;
      const found = known.get(key) ?? look(side, element);
      known.set(key, found);
      return found;
    });
    return {
      handlers: unique(each.flatMap(({ handlers }) => handlers)),
      services: unique(each.flatMap(({ services }) => services)),
      tests: unique(
        each.flatMap((one) => one.tests),
        ({ file }) => file,
      ),
    };
  });
}
