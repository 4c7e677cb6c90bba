import type { OpenApiDocument } from '@accord-api/platform/contract/document';
import type { RestOperation } from '@accord-api/platform/contract/openapi';
import { platformOperations } from '@accord-api/platform/contract/part-operations';
import { handlersFunctionOf, pascalCase } from '../model/names.js';
import type { OpenApiSource } from '../model/openapi-source.js';
import { docComment, headerNames, key, literal, operationTypes, readsStreams } from './operation-types.js';

/**
 * Types that reject excess members of a reply. The compiler checks excess members only where a literal meets its type, so these
 * types walk the inferred type of each handler. The first member that the contract does not declare becomes the error message.
 */
const CLOSED = `/** True for identical types. Ends the walk through a recursive schema. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Types without members to declare. */
type Plain = string | number | boolean | null | undefined | Uint8Array;

type KeysOf<Type> = Type extends unknown ? keyof Type : never;
type ItemOf<Type> = Type extends readonly (infer Item)[] ? Item : never;
type MemberOf<Type, Name> = Type extends unknown ? (Name extends keyof Type ? Type[Name] : never) : never;

/** The paths of all undeclared members; none for an object whose members the contract leaves open. */
type Surplus<Actual, Declared, Path extends string> =
  Same<Actual, Declared> extends true ? never
  : unknown extends Declared ? never
  : Actual extends Plain ? never
  : Actual extends readonly (infer Item)[] ? Surplus<Item, ItemOf<Declared>, \`\${Path}[]\`>
  : string extends keyof Actual ? never
  : SurplusMembers<Actual, Exclude<Declared, Plain | readonly unknown[]>, Path>;

type SurplusMembers<Actual, Declared, Path extends string> =
  string extends KeysOf<Declared> ? never
  : {
      [Name in keyof Actual & string]-?:
        // The member belongs to another literal of a union.
        [Actual[Name]] extends [undefined] ? never
        : Name extends KeysOf<Declared> ? Surplus<Actual[Name], MemberOf<Declared, Name>, \`\${Path}.\${Name}\`>
        : \`\${Path}.\${Name}\`;
    }[keyof Actual & string];

/** The declared replies with one of these statuses. */
type WithStatus<Declared, Status> = Declared extends { status: infer Own } ? (Own & Status extends never ? never : Declared) : never;
type SurplusOf<Reply, Declared> = Reply extends { status: infer Status } ? Surplus<Reply, WithStatus<Declared, Status>, 'reply'> : never;

type ReplyOf<Handler> =
  Handler extends Route<never, infer Reply> ? Reply
  : Handler extends (...args: never[]) => Promise<infer Reply> ? Reply
  : never;

/** Replaces the type of a handler without an operation, or with an undeclared reply, by a sentence that names the fault. */
export type Closed<Actual, Declared> = {
  [Name in keyof Actual]: Name extends keyof Declared
    ? [SurplusOf<ReplyOf<Actual[Name]>, ReplyOf<Declared[Name]>>] extends [never]
      ? unknown
      : \`'\${SurplusOf<ReplyOf<Actual[Name]>, ReplyOf<Declared[Name]>>}' is not in openapi.yaml\`
    : \`'\${Name & string}' is not an operationId of this tag in openapi.yaml\`;
};
`;

/** Returns the source of the function that takes the handlers of a tag. */
function takerText(tag: string): string {
  const type = `${pascalCase(tag)}Handlers`;
  const comment = docComment([
    `Checks the handlers of \`${tag}\`: one for each required operation, and no reply that the contract does not declare.`,
  ]);
  return `${comment}export const ${handlersFunctionOf(tag)} = <Actual extends ${type}>(handlers: Actual & Closed<Actual, ${type}>): ${type} => handlers;\n`;
}

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

/** @param ofParts the operations that parts answer, so that the application need not */
function handlersOf(
  tag: string,
  about: string | undefined,
  members: readonly RestOperation[],
  ofParts: ReadonlySet<string>,
): string {
  const lines = members.map(({ operationId: id }) => `  ${id}${ofParts.has(id) ? '?' : ''}: ${pascalCase(id)};\n`);
  const comment = docComment([`src/application/rest/${tag}.ts: ${about?.trim().split('\n')[0] ?? tag}`]);
  return `${comment}export interface ${pascalCase(tag)}Handlers {\n${lines.join('')}}\n`;
}

function table(all: readonly RestOperation[]): string {
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
  const { document, operations: handled } = source;
  const schemas = document.components?.schemas ?? {};
  const tags = (document.tags ?? []).filter(({ name }) => handled.some(({ tag }) => tag === name));
  const taken = new Set([
    ...handled.flatMap(({ operationId: id }) =>
      ['', 'Request', 'RequestBody', 'Reply'].map((end) => pascalCase(id) + end),
    ),
    ...tags.map(({ name }) => `${pascalCase(name)}Handlers`),
    ...OWN_TYPES,
  ]);
  // A schema with the name of another type is available under Schemas only.
  const isFree = (name: string) => !taken.has(name) && /^[A-Z]\w*$/.test(name);
  const named = (name: string) => (isFree(name) ? name : `Schemas[${literal(name)}]`);
  const ofParts = platformOperations(document);
  const handlersMember = ({ name }: { name: string }) => {
    const isOptional = handled.every(({ tag, operationId }) => tag !== name || ofParts.has(operationId));
    return `  ${key(name)}${isOptional ? '?' : ''}: ${pascalCase(name)}Handlers;\n`;
  };
  return [
    HEADER + (readsStreams(handled) ? STREAM : '') + IMPORTS,
    aliases(schemas, isFree),
    headerTypes(headerNames(handled)),
    ...handled.map((operation) => operationTypes(operation, named, schemas)),
    ...tags.map(({ name, description }) => {
      const members = handled.filter(({ tag }) => tag === name);
      return handlersOf(name, description, members, ofParts);
    }),
    `/** All handlers, by tag. */\nexport interface Handlers {\n${tags.map(handlersMember).join('')}}\n`,
    CLOSED,
    ...tags.map(({ name }) => takerText(name)),
    table(handled),
  ]
    .filter((part) => part !== '')
    .join('\n');
}
