import { Kind, type OperationDefinitionNode, type SelectionNode, type ValueNode, valueFromASTUntyped } from 'graphql';

/** The variables of an operation by name, as far as they are given; not coerced, for nothing has been validated. */
export type Values = Pick<ReadonlyMap<string, unknown>, 'get'>;

/** What the client sent, and the defaults of what it left out. */
export function valuesOf(
  operation: OperationDefinitionNode,
  sent: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, unknown> {
  return new Map(
    (operation.variableDefinitions ?? []).map(({ variable: { name }, defaultValue }) => [
      name.value,
      Object.hasOwn(sent, name.value) ? sent[name.value] : defaultValue && valueFromASTUntyped(defaultValue),
    ]),
  );
}

/** The value of a scalar in a document; undefined where there is none, or one of another kind. */
export function scalarOf(node: ValueNode | undefined, values: Values): unknown {
  if (node?.kind === Kind.VARIABLE) return values.get(node.name.value);
  if (node?.kind === Kind.INT) return Number(node.value);
  return node?.kind === Kind.BOOLEAN ? node.value : undefined;
}

/** Whether `@skip` and `@include` leave a selection in. Where they cannot be read it stays in, and validation refuses. */
export function isIncluded({ directives = [] }: SelectionNode, values: Values): boolean {
  const says = (directive: string, value: boolean) =>
    directives.some(
      ({ name, arguments: [condition] = [] }) =>
        name.value === directive && scalarOf(condition?.value, values) === value,
    );
  return !says('skip', true) && !says('include', false);
}
