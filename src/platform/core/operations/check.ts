import type { Policy } from '../calls/access.js';
import { notWritten } from '../calls/errors.js';
import { type Model, sourceLineOf } from './model.js';
import type { DeclaredModels } from './model-data.js';
import { type Decides, isRoute, type Route, type Target } from './route.js';

function decisionOf(models: DeclaredModels, target: Target): Decides {
  const decider = target.of ?? target;
  if (!models.byName(decider.model.name)?.model.owned) return 'nothing';
  return target.kind === 'create' && !target.of ? 'self' : 'owner';
}

interface RouteEntry {
  /** The operationId, or `Type.field`. */
  readonly operation: string;
  readonly action: string;
  readonly route: unknown;
  /** The names of the path parameters or arguments. */
  readonly parameters: readonly string[];
}

/** Returns the problems of an application's routes, which prevent the start. */
export function routeProblems(policy: Policy, models: DeclaredModels, routes: readonly RouteEntry[]): string[] {
  return routes.flatMap((entry) => {
    const { operation, action, route } = entry;
    if (route === notWritten || route === undefined) return [];
    if (!isRoute(route)) return [`${operation} needs ${action}: write route({ target, handler }), not a function.`];
    const problems = [...namingProblems(models, entry, route), ...decisionProblems(policy, models, entry, route)];
    return problems.map((problem) => `${sourceLineOf(route)}${operation}: ${problem}`);
  });
}

export function checkRoutes(...given: Parameters<typeof routeProblems>): void {
  const problems = routeProblems(...given);
  if (problems.length > 0) throw new Error(`The application cannot be served:\n  ${problems.join('\n  ')}`);
}

/** Returns the problems of models with unknown actions, or without an owner that the policy needs. */
export function modelProblems(policy: Policy, models: readonly Model[]): string[] {
  return models.flatMap((model) => {
    const { name, read, protect = {}, owned } = model;
    // The platform names the actions of its own model. An action that no contract states is forbidden.
    // Contracts without a permission have no callers, and need no actions.
    const isExempt = name === 'User' || Object.keys(policy).length === 0;
    const named = [['read', read], ...Object.entries(protect).map(([key, action]) => [`protect.${key}`, action])];
    const problems = named
      .filter(([, action = '']) => !isExempt && !Object.hasOwn(policy, action))
      .map(
        ([member, action]) =>
          `${sourceLineOf(model)}model('${name}'): \`${member}\` names the action ${action}, which no contract states. Correct the name, or state the action with x-permission or @permission.`,
      );
    if (!owned && Object.values(policy[read] ?? {}).includes('own'))
      problems.push(`${sourceLineOf(model)}model('${name}'): add an \`owner\`, because ${read} reaches \`own\`.`);
    return problems;
  });
}

function namingProblems(models: DeclaredModels, { parameters }: RouteEntry, { target }: Route<never, unknown>) {
  const on = target.kind === 'create' ? target.on : undefined;
  const named = [target, target.of, on].filter((target) => target !== undefined);
  const undeclared = named.filter(({ model }) => models.byName(model.name) === undefined);
  if (undeclared.length > 0)
    return undeclared.map(({ model }) => `add ${model.name} to the \`models\` of the application.`);
  const keys = named.map((row) => (row.kind === 'record' ? row.key : row.kind === 'stream' && row.model.stream?.key));
  const problems = keys.flatMap((key) =>
    typeof key === 'string' && !parameters.includes(key)
      ? `the target names \`${key}\`, and the operation has no such parameter (${parameters.join(', ') || 'none'}).`
      : [],
  );
  for (const { kind, model } of named)
    if (kind === 'record' && !models(model).hasNumericId)
      problems.push(`the target names a row of ${model.name}: give the model an \`id Int @id\`.`);
  if (target.kind === 'stream' && !models(target.model).model.stream)
    problems.push(`declare \`stream\` in model('${target.model.name}').`);
  if (target.of && target.kind !== 'create')
    try {
      models(target.model).referenceTo(models(target.of.model));
    } catch (error) {
      problems.push((error as Error).message);
    }
  return problems;
}

function decisionProblems(
  policy: Policy,
  models: DeclaredModels,
  { operation, action }: RouteEntry,
  { target, handler }: Route<never, unknown>,
) {
  const problems = target.kind === 'create' && !handler ? ['a route that creates needs a handler.'] : [];
  if (operation.startsWith('Subscription.') && !handler && target.kind !== 'stream')
    problems.push('a subscription needs a handler, or the target stream() of a model with a `stream`.');
  const reaches = Object.entries(policy[action] ?? {});
  const reachesOwn = reaches.some(([, reach]) => reach === 'own');
  if (target.kind === 'stream') {
    const { read = '' } = models.byName(target.model.name)?.model ?? {};
    if (reachesOwn)
      problems.push(`${action} reaches \`own\`, but all subscribers share a stream. Let it reach \`any\` or \`none\`.`);
    for (const [role, reach] of reaches)
      if (reach === 'any' && policy[read]?.[role] !== 'any')
        problems.push(`the role ${role.toLowerCase()} may subscribe (${action}) and may not read all rows (${read}).`);
    return problems;
  }
  if (!reachesOwn) return problems;
  const decides = decisionOf(models, target);
  if (decides === 'owner' || (decides === 'self' && !reaches.some(([, reach]) => reach === 'any'))) return problems;
  const missing = models.byName(target.model.name)?.model.owned
    ? 'the target does not name a stored row'
    : `model('${target.model.name}') has no \`owner\``;
  return [...problems, `${action} reaches \`own\`, but ${missing}.`];
}
