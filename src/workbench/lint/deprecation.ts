import type { Element } from '@accord-api/platform/contract/elements';
import { type ConstDirectiveNode, type DocumentNode, Kind, visit } from 'graphql';
import { argumentsOf } from '../model/sdl.js';
import type { Rest, RestFlaw, RestRule, SdlFlaw, SdlRule } from './rule.js';

const NO_SUCCESSOR = 'none';

const isTime = (text: unknown): text is string => typeof text === 'string' && !Number.isNaN(Date.parse(text));

interface Stated {
  since?: unknown;
  sunset?: unknown;
  successor?: unknown;
}

/** What an x-deprecation lacks, or undefined. */
function lack(
  { since, sunset, successor }: Stated,
  operationIds: ReadonlySet<unknown> | undefined,
): string | undefined {
  if (!isTime(since) || !isTime(sunset)) return 'the times `since` and `sunset` (ISO 8601)';
  if (Date.parse(sunset) <= Date.parse(since)) return 'a `sunset` after its `since`';
  if (typeof successor !== 'string' || successor === '') return `a \`successor\` (or \`${NO_SUCCESSOR}\`)`;
  const known = operationIds === undefined || successor === NO_SUCCESSOR || operationIds.has(successor);
  return known ? undefined : `a \`successor\` that is an operationId here: there is no "${successor}"`;
}

/** What OpenAPI can say to be deprecated. */
const DEPRECATED: readonly Element['kind'][] = ['operation', 'parameter', 'header', 'schema'];

function incomplete({ elements, operations }: Rest): RestFlaw[] {
  const lasting = new Set(
    operations.filter(({ operation }) => !operation.deprecated).map(({ operationId }) => operationId),
  );
  return elements.flatMap(({ kind, path, object }) => {
    if (object.deprecated !== true || !DEPRECATED.includes(kind)) return [];
    const missing = lack(object['x-deprecation'] ?? {}, kind === 'operation' ? lasting : undefined);
    return missing === undefined
      ? []
      : [
          {
            path: [...path, 'deprecated'],
            onKey: true,
            message: `What is deprecated needs x-deprecation with ${missing}.`,
          },
        ];
  });
}

/** All names of the schema: of types, fields, arguments and enum values, alone and as `Type.field`. */
function namesOf(document: DocumentNode): Set<string> {
  const names = new Set<string>();
  let owner = '';
  visit(document, {
    enter: (node) => {
      if (!('name' in node) || node.name === undefined || node.kind === Kind.DIRECTIVE) return;
      const isMember =
        node.kind === Kind.FIELD_DEFINITION ||
        node.kind === Kind.INPUT_VALUE_DEFINITION ||
        node.kind === Kind.ENUM_VALUE_DEFINITION;
      if (isMember) names.add(`${owner}.${node.name.value}`);
      else if (node.kind.endsWith('TypeDefinition') || node.kind.endsWith('TypeExtension')) owner = node.name.value;
      names.add(node.name.value);
    },
  });
  return names;
}

/** What the reason of a `@deprecated` lacks, or undefined. */
function lackOfReason(reason: string, names: ReadonlySet<string>): string | undefined {
  const [date] = reason.match(/\b\d{4}-\d{2}-\d{2}\b/) ?? [];
  if (!isTime(date)) return 'the date from which it may go, as in "until 2027-06-30"';
  if (/\bno successor\b/i.test(reason)) return undefined;
  const quoted = [...reason.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  if (quoted.length === 0) return 'what to use instead, as `name` in backticks, or the words "no successor"';
  return quoted.some((name) => names.has(name)) ? undefined : `what to use instead: the schema has no \`${quoted[0]}\``;
}

function unreasoned(document: DocumentNode): SdlFlaw[] {
  const flaws: SdlFlaw[] = [];
  const names = namesOf(document);
  visit(document, {
    Directive: (node) => {
      if (node.name.value !== 'deprecated') return;
      const { reason = '' } = argumentsOf(node as ConstDirectiveNode);
      const missing = lackOfReason(String(reason), names);
      if (missing !== undefined)
        flaws.push({ node: node.name, message: `The reason of @deprecated must name ${missing}.` });
    },
  });
  return flaws;
}

const COMPLETE = {
  name: 'deprecation-complete',
  why: 'Who is told that something goes must be told when, and what to use instead.',
};

export const REST_DEPRECATION_RULES: RestRule[] = [{ ...COMPLETE, check: incomplete }];
export const SDL_DEPRECATION_RULES: SdlRule[] = [{ ...COMPLETE, check: unreasoned }];
