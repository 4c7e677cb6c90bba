import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CodegenConfig } from '@graphql-codegen/cli';
import type { CodegenPlugin } from '@graphql-codegen/plugin-helpers';
import type { Plugin } from 'esbuild';
import { type GraphQLSchema, isCompositeType, isIntrospectionType, Kind, print, visit } from 'graphql';
import { ROOTS, type SdlSource } from '../model/sdl-source.js';

/**
 * Prints a schema without its directives, which concern no resolver, and without the types that only directives use.
 */
export function withoutDirectives({ document }: Pick<SdlSource, 'document'>): string {
  const remove = () => null;
  const bare = visit(document, {
    [Kind.DIRECTIVE_DEFINITION]: remove,
    [Kind.DIRECTIVE]: { enter: (node) => (node.name.value === 'deprecated' ? undefined : null) },
  });
  const used = new Set<string>();
  visit(bare, { [Kind.NAMED_TYPE]: { enter: (node) => void used.add(node.name.value) } });
  return print(
    visit(bare, {
      [Kind.ENUM_TYPE_DEFINITION]: { enter: (node) => (used.has(node.name.value) ? undefined : null) },
    }),
  );
}

const HEADER = '// Generated from schema.graphql by `npm run codegen`. Do not edit.\n';

const IMPORTS = `import type { Decides, NotWritten, ReadByPlatform, Route } from '@accord-api/platform';
import type { FieldOfPart, Decisions } from './policy.js';`;

/**
 * Types that require the necessary resolvers. graphql-codegen requires a resolver for each field or for none. A field that the model
 * has under the same name and type needs no resolver. Any other field needs one, and so does `__resolveType` of each interface
 * and union.
 */
const REQUIRED = `type ResultOf<Each> = Each extends ResolverFn<infer Result, any, any, any> ? Result : never;

/** The fields of a type that its model has under the same name and type, and the relations of the model. */
type Given<Type extends keyof EveryField> = Type extends ${ROOTS.map((root) => `'${root}'`).join(' | ')}
  ? never
  : {
      // The resolver of the interface or union decides the type of a value.
      [Field in keyof EveryField[Type]]-?: Field extends '__isTypeOf'
        ? Field
        : \`\${Type}.\${Field & string}\` extends FieldOfPart
        ? Field
        : Field extends ReadByPlatform<Type, ResolversParentTypes[Type]>
        ? Field
        : Field extends keyof ResolversParentTypes[Type]
          ? ResolversParentTypes[Type][Field] extends ResultOf<EveryField[Type][Field]>
            ? Field
            : never
          : never;
    }[keyof EveryField[Type]];

/** The resolvers of one type. Given fields need none. */
type ResolversOf<Type extends keyof EveryField> = Omit<EveryField[Type], Given<Type>> &
  Partial<Pick<EveryField[Type], Given<Type>>>;

/** The types whose fields all need no resolver. */
type GivenTypes = {
  [Type in keyof EveryField]: Exclude<keyof EveryField[Type], Given<Type>> extends never ? Type : never;
}[keyof EveryField];
`;

/** The routes of the root fields. */
const routes = (root: string) => `
type Every${root}Route = {
  [Field in keyof ${root}Fields]: ${root === 'Subscription' ? 'SourceRouteOf' : 'RouteOf'}<${root}Fields[Field], DecisionOf<\`${root}.\${Field}\`>>;
};

/** The routes of the fields of ${root}. */
export type ${root}Routes = Unanswered<'${root}', Every${root}Route>;
`;

const ROUTES = `
/** Parts answer the optional fields. */
type Unanswered<Root extends string, Every> = {
  [Field in keyof Every as \`\${Root}.\${Field & string}\` extends FieldOfPart ? never : Field]: Every[Field];
} & { [Field in keyof Every as \`\${Root}.\${Field & string}\` extends FieldOfPart ? Field : never]?: Every[Field] };

/** The decision that the target of a route must make. */
type DecisionOf<Name> = Name extends keyof Decisions ? Decisions[Name] : Decides;
type ArgsOf<Each> = Each extends ResolverFn<any, any, any, infer Args> ? Args : Each extends SubscriptionResolver<any, any, any, any, infer Args> ? Args : never;
type RouteOf<Each, By extends Decides> = Route<ArgsOf<Each>, Awaited<ResultOf<Each>>, By> | NotWritten;
type EventOf<Each> = [Each] extends [SubscriptionResolver<infer Event, any, any, any, any>] ? Awaited<Event> : never;
/** A handler returns the events. A route without a handler follows the stream of a model. */
type SourceRouteOf<Each, By extends Decides> = Route<ArgsOf<Each>, AsyncIterable<EventOf<Each>>, By> | NotWritten;
`;

/** Returns interfaces, because the compiler shows their names in messages and writes out other types. */
function named(schema: GraphQLSchema): string {
  const types = Object.values(schema.getTypeMap()).flatMap((type) =>
    isCompositeType(type) && !isIntrospectionType(type) ? [type.name] : [],
  );
  const each = types
    .filter((type) => !ROOTS.includes(type))
    .map((type) => `export interface ${type}Resolvers extends ResolversOf<'${type}'> {}\n`);
  const typeOf = (type: string) => (ROOTS.includes(type) ? `${type}Routes` : `${type}Resolvers`);
  const members = types.map((type) => `  ${type}: ${typeOf(type)};\n`);
  const roots = types.filter((type) => ROOTS.includes(type));
  return `${ROUTES}${roots.map(routes).join('')}
${each.join('\n')}
interface ResolversByType {
${members.join('')}}

/** All resolvers by type. A missing, misnamed or mistyped resolver does not compile. */
export interface Resolvers extends Omit<ResolversByType, GivenTypes>, Partial<Pick<ResolversByType, GivenTypes>> {}
`;
}

/**
 * Adds the types of required resolvers to the output of `typescript-resolvers`. Expects the names of `codegen.ts`: `EveryField` for
 * all resolvers, and `…Fields` for the resolvers of a type.
 */
export const requiredResolvers: CodegenPlugin = {
  plugin: (schema) => ({ prepend: [HEADER, IMPORTS], content: `${REQUIRED}\n${named(schema)}` }),
};

/** Loads a plugin of `codegen.ts`. `required-resolvers` makes a missing resolver a compiler error. */
export const loadPlugin = async (name: string): Promise<CodegenPlugin> =>
  name.endsWith('required-resolvers') ? requiredResolvers : import(name);

/** Keeps the `import.meta` of each module, which a bundle would replace by its own. */
const importMeta: Plugin = {
  name: 'import-meta',
  setup({ onLoad }) {
    onLoad({ filter: /\.[cm]?[jt]s$/ }, async ({ path }) => {
      const meta = JSON.stringify({ url: pathToFileURL(path).href, dirname: dirname(path), filename: path });
      return { contents: `const __meta = ${meta}; ${await readFile(path, 'utf8')}`, loader: 'ts' };
    });
  },
};

/** Resolves imports of this package to itself, because a new project has no `node_modules` yet. */
const ownPackage: Plugin = {
  name: 'own-package',
  setup({ onResolve }) {
    onResolve({ filter: /^@accord-api\/workbench\// }, ({ path }) => ({
      path: import.meta.resolve(path),
      external: true,
    }));
  },
};

/**
 * Imports a TypeScript module of a project. Bundles it, because a loader of TypeScript would slow down the imports of its packages too.
 * An unchanged module runs once per process. Rejects with the errors of the compiler, and with what the module throws.
 * @param file relative to `root`
 */
export async function importTypeScript(root: string, file: string): Promise<Record<string, unknown>> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [file],
    bundle: true,
    write: false,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    define: {
      'import.meta.url': '__meta.url',
      'import.meta.dirname': '__meta.dirname',
      'import.meta.filename': '__meta.filename',
    },
    plugins: [ownPackage, importMeta],
    logLevel: 'silent',
  });
  const text = outputFiles.map((file) => file.text).join('');
  // The bundle must be in the project to find its packages.
  const packages = join(root, 'node_modules');
  const folder = existsSync(packages) ? join(packages, '.cache', 'accord') : root;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const path = join(folder, `.${digest}-${process.pid}.mjs`);
  await mkdir(folder, { recursive: true });
  await writeFile(path, text);
  return import(pathToFileURL(path).href).finally(() => rm(path, { force: true }));
}

/**
 * Returns the source of `generated/graphql.ts`, which graphql-codegen makes by the configuration in `codegen.ts`. The same schema
 * always gives the same text.
 */
export async function generateResolvers(sdl: SdlSource, config: CodegenConfig): Promise<string> {
  const { executeCodegen } = await import('@graphql-codegen/cli');
  // Leaves the getter `schema` unread, because the contract is parsed already.
  const { schema: _, ...others } = Object.getOwnPropertyDescriptors(config);
  const settings = Object.defineProperties({}, others) as Omit<CodegenConfig, 'schema'>;
  const { result, error } = await executeCodegen({ ...settings, schema: withoutDirectives(sdl), silent: true });
  if (error) throw error;
  const [file] = result;
  if (file === undefined || result.length > 1) throw new Error('codegen.ts names one file to generate.');
  return file.content;
}
