import type { OpenApiDocument } from '@accord-api/platform/contract/document';
import type { Operation } from '@accord-api/platform/contract/openapi';
import { pascalCase, typeNamesOf } from '../model/names.js';
import type { OpenApiSource } from '../model/openapi-source.js';
import { CLOSED, takerText } from './closed-handlers.js';
import { headerNames, operationTypes, readsStreams } from './operation-types.js';
import { docComment, key, literal } from './typescript.js';

export const HEADER = '// Generated from openapi.yaml by `npm run codegen`. Do not edit.\n';

const STREAM = "import type { Readable } from 'node:stream';\n";

const IMPORTS = `import type { Decides, NotWritten, Route } from '@accord-api/platform';
import type { Context } from '../src/application/context.js';
import type { components } from './openapi.js';
import type { Decisions } from './policy.js';

type Schemas = components['schemas'];

/** The decision that the target of a route must make. */
type DecisionOf<Name> = Name extends keyof Decisions ? Decisions[Name] : Decides;
`;

/** Returns types that reject the headers of another reply. The compiler overlooks excess members in the result of a function. */
const headerTypes = (names: readonly string[]) => `/** The headers of all replies. */
type HeaderName = ${names.length > 0 ? names.map(literal).join(' | ') : 'never'};

/** These headers, and none of another reply. */
type Only<Headers> = Headers & { [Other in Exclude<HeaderName, keyof Headers>]?: never };

type NoHeaders = { [Other in HeaderName]?: never };
`;

function aliases(schemas: OpenApiDocument['components']['schemas'], isFree: (name: string) => boolean): string {
  return Object.keys(schemas)
    .filter(isFree)
    .map((name) => `export type ${name} = Schemas[${literal(name)}];\n`)
    .join('');
}

function handlersOf(tag: string, about: string | undefined, members: readonly Operation[]): string {
  const lines = members.map(({ operationId }) => `  ${operationId}: ${pascalCase(operationId)};\n`);
  const comment = docComment([`src/application/rest/${tag}.ts: ${about?.trim().split('\n')[0] ?? tag}`]);
  return `${comment}export interface ${pascalCase(tag)}Handlers {\n${lines.join('')}}\n`;
}

function table(all: readonly Operation[]): string {
  const lines = all.map(
    ({ operationId, method, path, tag }) =>
      `  ${operationId}: { method: ${literal(method)}, path: ${literal(path)}, tag: ${literal(tag)} },\n`,
  );
  const comment = docComment(['The method, path and tag of each operation.']);
  return `${comment}export const operations = {\n${lines.join('')}} as const;\n\nexport type OperationId = keyof typeof operations;\n`;
}

/** The types of `generated/operations.ts` that do not come from the contract. */
const OWN_TYPES = [...`${STREAM}${IMPORTS}${headerTypes([])}${CLOSED}`.matchAll(/import type \{ (.*) \}|\btype (\w+)/g)]
  .flatMap(([, imported = '', declared = '']) => [...imported.split(', '), declared])
  .concat('Handlers', 'OperationId');

/** Returns the source of `generated/operations.ts` for a contract without problems. */
export function generateOperations(source: OpenApiSource): string {
  const { document, operations: all } = source;
  const schemas = document.components?.schemas ?? {};
  // A forwarded operation has no handler.
  const handled = all.filter(({ forward }) => forward === undefined);
  const tags = (document.tags ?? []).filter(({ name }) => handled.some(({ tag }) => tag === name));
  const taken = new Set([
    ...handled.flatMap(({ operationId }) => typeNamesOf(operationId)),
    ...tags.map(({ name }) => `${pascalCase(name)}Handlers`),
    ...OWN_TYPES,
  ]);
  // A schema with the name of another type is available under Schemas only.
  const isFree = (name: string) => !taken.has(name) && /^[A-Z]\w*$/.test(name);
  const named = (name: string) => (isFree(name) ? name : `Schemas[${literal(name)}]`);
  return [
    HEADER + (readsStreams(handled) ? STREAM : '') + IMPORTS,
    aliases(schemas, isFree),
    headerTypes(headerNames(handled)),
    ...handled.map((operation) => operationTypes(operation, named, schemas)),
    ...tags.map(({ name, description }) => {
      const members = handled.filter(({ tag }) => tag === name);
      return handlersOf(name, description, members);
    }),
    `/** All handlers, by tag. */\nexport interface Handlers {\n${tags.map(({ name }) => `  ${key(name)}: ${pascalCase(name)}Handlers;\n`).join('')}}\n`,
    CLOSED,
    ...tags.map(({ name }) => takerText(name)),
    table(all),
  ]
    .filter((part) => part !== '')
    .join('\n');
}
