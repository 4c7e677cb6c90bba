import { readFileSync } from 'node:fs';
import { join, parse } from 'node:path/posix';
import { filesIn } from '@accord-api/platform/contract/project-files';

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

/** The target of a route: a name, or a call. */
const TARGET = /\btarget: (\w+(?:\((?:[^()]|\([^()]*\))*\))?)/;

/**
 * Finds the handler of an operation in `src/application/rest/<tag>.ts`, or of a field in `src/application/graphql/<Type>.ts`, and the
 * services that it calls. Expects each member of an object on its own line, and recognises its end by the indentation.
 */
function handlerOf(sources: readonly Source[], side: Side, element: string): Omit<TouchedCode, 'tests'> {
  const [type = '', field = ''] = element.split('.');
  const isHome =
    side === 'rest' ? /^src\/application\/rest\/[^/]+$/ : new RegExp(`^src/application/graphql/${type}\\.ts$`);
  const member = new RegExp(`^\\s+(?:async )?${side === 'rest' ? element : field}[(:,]`);
  for (const { file, lines } of sources.filter((source) => isHome.test(source.file))) {
    const start = lines.findIndex((line) => line.startsWith(`export const ${parse(file).name}`));
    const at = start < 0 ? -1 : lines.findIndex((line, index) => index > start && member.test(line));
    if (at < 0) continue;
    const depth = lines[at]?.search(/\S/) ?? 0;
    const end = lines.findIndex((line, index) => index > at && line.trim() !== '' && line.search(/\S/) <= depth);
    const text = lines.slice(at, end).join('\n');
    const stated = TARGET.exec(text)?.[1];
    const constant = lines.find((line) => line.startsWith(`const ${stated} = `));
    const target = constant?.replace(/^.*? = (.*?);?$/, '$1') ?? stated;
    const calls = [...text.matchAll(/(?<![.\w])(?:context\.)?services\.(\w+)(?:\.(\w+))?/g)];
    return {
      handlers: [{ file, line: at + 1, name: element, ...(target && { target }) }],
      services: calls.flatMap(([, service = '', method]) => serviceLine(sources, service, method) ?? []),
    };
  }
  return { handlers: [], services: [] };
}

const unique = (lines: readonly CodeLine[], keyOf = ({ file, line }: CodeLine) => `${file}:${line}`): CodeLine[] =>
  lines.filter((line, index) => lines.findIndex((other) => keyOf(other) === keyOf(line)) === index);

/**
 * Returns for each change the handlers, services and tests in the working tree. Reads the sources without running them, and finds
 * tests by the address or field that they name.
 * @param addresses the addresses of operations by operationId: `GET /api/v1/users/{}`
 */
export function touched(
  root: string,
  changes: readonly { side: Side; elements: string[] }[],
  addresses: ReadonlyMap<string, string>,
): TouchedCode[] {
  if (changes.length === 0) return [];
  const sources = sourcesIn(root, 'src', '.ts');
  const tests = sourcesIn(root, 'test', '.test.ts');
  const known = new Map<string, TouchedCode>();
  const look = (side: Side, element: string): TouchedCode => {
    if (side === 'database') {
      const patterns = [modelPattern(element)];
      const services = mentions(sources, patterns, element);
      return { handlers: [], services, tests: mentions(tests, patterns, element) };
    }
    const address = addresses.get(element);
    const rest = [new RegExp(`\\b${element}\\b`), ...(address === undefined ? [] : [addressPattern(address)])];
    const patterns = side === 'rest' ? rest : [fieldPattern(element)];
    return { ...handlerOf(sources, side, element), tests: mentions(tests, patterns, element) };
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
        each.flatMap((code) => code.tests),
        ({ file }) => file,
      ),
    };
  });
}
