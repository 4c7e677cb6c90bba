import type { Change as Inspected } from '@graphql-inspector/core';
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInterfaceType,
  type GraphQLSchema,
  isInputObjectType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  print,
} from 'graphql';
import type { Judgement, Verdict } from './change.js';
import type { Named, Uses } from './graphql-places.js';

/** What the rules look at besides a change that the inspector found. */
export interface Schemas {
  before: GraphQLSchema;
  after: GraphQLSchema;
  /** What clients send and get, of both versions together. */
  uses: Uses[];
  old: Map<string, Named>;
  now: Date;
}

type Verdicts = (change: Inspected, schemas: Schemas) => Verdict | undefined;

/** Where a directive may stand that a client writes (GraphQL, 3.13). */
const EXECUTABLE =
  /^(QUERY|MUTATION|SUBSCRIPTION|FIELD|FRAGMENT_DEFINITION|FRAGMENT_SPREAD|INLINE_FRAGMENT|VARIABLE_DEFINITION)$/;

const nobody: Verdicts = () => undefined;
const safe: Verdicts = () => 'safe';

const sent = (name: string, { uses }: Schemas) => uses.some((one) => one.sent.has(name));
const got = (name: string, { uses }: Schemas) => uses.some((one) => one.got.has(name));

/** The argument or input field that a path names. */
function inputAt(schema: GraphQLSchema, path: string): GraphQLArgument | GraphQLInputField | undefined {
  const [name = '', field = '', argument] = path.split('.');
  const owner = schema.getType(name);
  if (isInputObjectType(owner)) return owner.getFields()[field];
  const found = isObjectType(owner) || isInterfaceType(owner) ? owner.getFields()[field] : undefined;
  return found?.args.find((one) => one.name === argument);
}

/** The default of an argument or input field: one that must be given has none. */
const fallback: Verdicts = ({ path = '', meta }, { before, after }) => {
  if (meta.oldDefaultValue === undefined) return 'safe';
  const [was, is] = [inputAt(before, path), inputAt(after, path)];
  const written = [was, is].map((one) => one?.astNode?.defaultValue && print(one.astNode.defaultValue));
  // What a type adds to it is told with the type.
  if (written[0] !== undefined && written[0] === written[1]) return undefined;
  if (meta.newDefaultValue !== undefined) return 'risky';
  return is !== undefined && isNonNullType(is.type) ? 'breaking' : 'risky';
};

/** A date in the words of `@deprecated(reason:)`: until then the field stays. */
const announced = (path: string, { old, now }: Schemas): boolean => {
  const deprecated = old.get(path)?.directives.find(({ name }) => name.value === 'deprecated');
  const words =
    deprecated?.arguments?.map(({ value }) => ('value' in value ? String(value.value) : '')).join(' ') ?? '';
  const date = /\d{4}-\d{2}-\d{2}/.exec(words)?.[0];
  return date !== undefined && Date.parse(date) <= now.getTime();
};

const removal: Verdicts = ({ path = '' }, schemas) => (announced(path, schemas) ? 'safe' : 'breaking');

/** Only a directive that may stand in a query is a client's. */
const directive: Verdicts = ({ path = '', criticality }, { before, after }) => {
  const name = path.replace('@', '').split('.')[0] ?? '';
  const locations = [before, after].flatMap((schema) => schema.getDirective(name)?.locations ?? []);
  return locations.some((location) => EXECUTABLE.test(location)) ? LEVELS[criticality.level] : undefined;
};

/** One place less where a directive may stand is missed where that is in a query. */
const location: Verdicts = (change, schemas) => {
  const place = String(change.meta.removedDirectiveLocation ?? change.meta.addedDirectiveLocation);
  return EXECUTABLE.test(place) ? directive(change, schemas) : 'safe';
};

const LEVELS: Record<string, Verdict> = { BREAKING: 'breaking', DANGEROUS: 'risky', NON_BREAKING: 'safe' };

/** A type more is met by who asks for an interface that it is of. */
const addition: Verdicts = ({ path = '' }, { before, after, uses: [was] }) => {
  const type = after.getType(path);
  const isMet = ({ name }: GraphQLInterfaceType) => isInterfaceType(before.getType(name)) && was?.got.has(name);
  return isObjectType(type) && type.getInterfaces().some(isMet) ? 'risky' : 'safe';
};

/** Where the inspector is too strict, too mild, or does not look which way a value travels. */
const VERDICT_OF: [RegExp, Verdicts][] = [
  [/DESCRIPTION/, nobody],
  // `@permission` and `@constraint` are judged by what they say.
  [/^DIRECTIVE_USAGE_/, nobody],
  [/^DIRECTIVE_LOCATION_/, location],
  [
    /^DIRECTIVE_REPEATABLE_REMOVED$/,
    (change, schemas) => (directive(change, schemas) === undefined ? undefined : 'breaking'),
  ],
  [/^DIRECTIVE_/, directive],
  [/_DEPRECATION_/, safe],
  [/DEFAULT.*_CHANGED$/, fallback],
  [/^ENUM_VALUE_ADDED$/, ({ meta }, schemas) => (got(meta.enumName, schemas) ? 'risky' : 'safe')],
  [
    /^ENUM_VALUE_REMOVED$/,
    (change, schemas) => (sent(change.meta.enumName, schemas) ? removal(change, schemas) : 'safe'),
  ],
  [
    /^(FIELD_ARGUMENT|INPUT_FIELD)_ADDED$/,
    ({ criticality }) => (criticality.level === 'BREAKING' ? 'breaking' : 'safe'),
  ],
  [/^(FIELD|INPUT_FIELD|FIELD_ARGUMENT)_REMOVED$/, removal],
  [/^TYPE_ADDED$/, addition],
  [
    /^TYPE_(REMOVED|KIND_CHANGED)$/,
    ({ path = '' }, schemas) => (sent(path, schemas) || got(path, schemas) ? 'breaking' : 'safe'),
  ],
];

const WHAT: [RegExp, string][] = [
  [/DEPRECATION_ADDED$/, 'deprecated'],
  [/DEPRECATION_REMOVED$/, 'undeprecated'],
  [/_REMOVED$/, 'removed'],
  [/_ADDED$/, 'added'],
  [/DEFAULT/, 'default'],
  [/TYPE_CHANGED$/, 'type'],
];

const ADVICE: [RegExp, string][] = [
  [
    /^FIELD_REMOVED$/,
    'Keep the field, add the new one beside it, and mark this one `@deprecated(reason: "… until <date>")`.',
  ],
  [/^(INPUT_FIELD|FIELD_ARGUMENT)_REMOVED$/, 'Go on accepting it, mark it `@deprecated`, and ignore it.'],
  [/^(INPUT_FIELD|FIELD_ARGUMENT)_ADDED$/, 'Make it nullable, or give it a default.'],
  [/^ENUM_VALUE_REMOVED$/, 'Go on accepting the value, and mark it `@deprecated`.'],
  [/^ENUM_VALUE_ADDED$/, 'Tell the clients first: code that lists all the values it knows meets one more.'],
  [/TYPE_CHANGED$/, 'Add a second one of the new type beside it, and deprecate this one.'],
  [/DEFAULT/, 'Keep the default: who leaves it out counts on it.'],
  [
    /^(UNION_MEMBER|OBJECT_TYPE_INTERFACE|TYPE)_ADDED$/,
    'Tell the clients first: fragments meet a type that they do not know.',
  ],
];

const first = <T>(table: [RegExp, T][], type: string): T | undefined => table.find(([name]) => name.test(type))?.[1];

/** What the inspector says, kinds of types by their keywords. */
const inWords = (message: string): string =>
  message
    .replaceAll("'", '`')
    .replaceAll('`undefined`', 'none')
    .replaceAll(/\b(Object|Interface|Union|Enum|InputObject|Scalar)TypeDefinition\b/g, (_, kind: string) =>
      kind === 'Object' ? 'type' : kind.replace('Object', '').toLowerCase(),
    );

/** The verdict on what the inspector found; undefined for what concerns nobody. */
export function judgeInspected(change: Inspected, schemas: Schemas): Judgement | undefined {
  const rule = first(VERDICT_OF, change.type);
  const verdict = rule === undefined ? LEVELS[change.criticality.level] : rule(change, schemas);
  if (verdict === undefined) return undefined;
  const advice =
    verdict === 'safe' ? undefined : (first(ADVICE, change.type) ?? 'Keep the old one beside the new one, deprecated.');
  const message = inWords(change.message);
  const what = first(WHAT, change.type) ?? 'changed';
  // What was announced and has come is no question of taste.
  const settled = what === 'removed' && announced(change.path ?? '', schemas);
  return { verdict, what, message, ...(advice !== undefined && { advice }), ...(settled && { settled }) };
}
