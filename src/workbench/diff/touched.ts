import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn } from 'accord/contract/project-files';
import type { Change, CodeLine, Touched } from './change.js';
import { codeIndex } from './code-index.js';

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
  changes: readonly Pick<Change, 'side' | 'elements'>[],
  addresses: ReadonlyMap<string, string>,
): Promise<Touched[]> {
  if (changes.length === 0) return [];
  const index = await codeIndex(root);
  const tests = sourcesIn(root, 'test', '.test.ts');
  let services: Source[] | undefined;
  const known = new Map<string, Touched>();
  const look = (side: Change['side'], element: string): Touched => {
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
