import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  isObjectType,
} from 'graphql';
import { collectSubfields } from 'graphql/execution/collectFields.js';
import type { JsonMember } from '../database/json-rows.js';
import type { Relation, RowType, RowTypes } from './row-types.js';

/** Rows that are read along with those above them. */
export interface Branch extends Relation {
  /** Under which they stand in the answer. */
  key: string;
  field: GraphQLField<unknown, unknown>;
  /** Where the document asks for them. */
  nodes: readonly FieldNode[];
  type: RowType;
  /** What is read of each. */
  members: readonly JsonMember[];
  below: readonly Branch[];
}

/** Of what a selection is looked up. */
export interface Selecting extends Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues'> {
  types: RowTypes;
  /** Whether the caller may do this to whatever belongs to anyone. */
  may: (action: string) => boolean;
}

/** Values that a function of PostgreSQL takes, and so an array of JSON that it builds. */
const MOST_VALUES = 100;
/**
 * Branches that one statement reads. Fragments let a short document unfold to thousands, which PostgreSQL would plan one by one:
 * what has more is sooner read by its levels.
 */
const MOST_BRANCHES = 32;

/** What is selected below a place of a document, under its names in the answer. */
export function* selectedFields(type: GraphQLObjectType, nodes: readonly FieldNode[], selecting: Selecting) {
  const { schema, fragments, variableValues } = selecting;
  for (const [key, below] of collectSubfields(schema, fragments, variableValues, type, nodes)) {
    const field = type.getFields()[below[0]?.name.value ?? ''];
    // `__typename` is no field of a type.
    if (field) yield { key, field, nodes: below };
  }
}

/** The rows that are selected below those of a type, as far as it is known where they stand, and there is room for them. */
export function branchesBelow(type: GraphQLObjectType, nodes: readonly FieldNode[], selecting: Selecting): Branch[] {
  const found: Branch[] = [];
  let room = MOST_BRANCHES;
  for (const one of selectedFields(type, nodes, selecting)) {
    const branch = branchOf(type, one, selecting, { room });
    if (branch) found.push(branch);
    room = MOST_BRANCHES - sizeOf(found);
  }
  return found;
}

/** How many branches there are, with all below them. */
export const sizeOf = (branches: readonly Branch[]): number =>
  branches.reduce((sum, { below }) => sum + 1 + sizeOf(below), 0);

type SelectedField = ReturnType<typeof selectedFields> extends Generator<infer Each> ? Each : never;

/**
 * @param left how many branches there may still be
 * @returns undefined where they, or anything that is selected of them, is left to resolvers
 */
function branchOf(
  { name }: GraphQLObjectType,
  { key, field, nodes }: SelectedField,
  selecting: Selecting,
  left: { room: number },
): Branch | undefined {
  const relation = selecting.types.get(name)?.relations.get(field.name);
  const target = getNamedType(field.type);
  const type = selecting.types.get(target.name);
  if (!relation || !type || !isObjectType(target) || !selecting.may(relation.action)) return undefined;
  left.room -= 1;
  if (left.room < 0) return undefined;
  const members = new Set<string>();
  const below: Branch[] = [];
  for (const one of selectedFields(target, nodes, selecting)) {
    const branch = branchOf(target, one, selecting, left);
    // What is not there after all its resolver looks for.
    const read = branch?.isMany === false ? [branch.by] : branch ? [] : type.members.get(one.field.name);
    if (!read) return undefined;
    for (const member of read) members.add(member);
    if (branch) below.push(branch);
  }
  if (members.size + below.length > MOST_VALUES) return undefined;
  const all = [...members].map((member) => type.table.members.get(member) as JsonMember);
  return { ...relation, key, field, nodes, type, members: all, below };
}
