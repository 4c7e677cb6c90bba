import type { CodegenPlugin } from '@graphql-codegen/plugin-helpers';
import { type GraphQLSchema, isCompositeType, isIntrospectionType } from 'graphql';
import { ROOTS } from '../model/sdl-source.js';

const HEADER = '// Generated from schema.graphql by `npm run codegen`. Do not edit.\n';

const IMPORTS = `import type { Decides, NotWritten, ReadByPlatform, Route } from '@accord-api/platform';
import type { Decisions } from './policy.js';`;

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
/** The routes of the fields of ${root}. */
export type ${root}Routes = {
  [Field in keyof ${root}Fields]: ${root === 'Subscription' ? 'SourceRouteOf' : 'RouteOf'}<${root}Fields[Field], DecisionOf<\`${root}.\${Field}\`>>;
};
`;

const ROUTES = `
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
