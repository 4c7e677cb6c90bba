import type { Policy } from '../calls/access.js';
import { notWritten } from '../calls/errors.js';
import type { Model } from './model.js';
import type { DeclaredModels } from './model-data.js';
import { isRoute } from './route.js';
import type { Decides, Target } from './target.js';

/** How much of the access decision a target makes. */
function decidesBy(target: Target): Decides {
  const decider = target.of ?? target;
  if (!decider.model.owned) return 'nothing';
  return target.kind === 'create' && !target.of ? 'self' : 'owner';
}

/** One operation that is not public, or one root field. */
interface OperationRoute {
  /** The operationId, or `Type.field`. */
  readonly by: string;
  readonly action: string;
  /** The path parameters, or the arguments. */
  readonly keys: readonly string[];
  readonly route: unknown;
}

/** Returns the problems of models whose `read` or `protect` names an action that no permission states. */
export const modelProblems = (policy: Policy, models: readonly Model[]): string[] =>
  models
    // The platform names the actions of its own model. An action that no contract states is nobody's.
    .filter(({ name }) => name !== 'User')
    .flatMap(({ name, read, protect = {} }) => {
      const named = [['read', read], ...Object.entries(protect).map(([key, one]) => [`protect.${key}`, one])] as const;
      return named
        .filter(([, action = '']) => policy[action] === undefined)
        .map(
          ([member, action]) =>
            `model('${name}'): \`${member}\` names the action ${action}, which no contract states. Correct the name, or state the action with x-permission or @permission.`,
        );
    });

/** What a target asks for that the request, the models or schema.prisma do not have. */
function targetProblems(target: Target, keys: readonly string[], models: DeclaredModels): string[] {
  const rows = [target, target.of, target.kind === 'create' ? target.on : undefined].filter((one) => one !== undefined);
  const undeclared = rows.filter(({ model }) => models.byName(model.name) === undefined);
  if (undeclared.length > 0)
    return undeclared.map(({ model }) => `add ${model.name} to the \`models\` of the application.`);
  const { model, of } = target;
  const named = rows.flatMap((row) => (row.kind === 'record' && row.key !== undefined ? [row.key] : []));
  if (target.kind === 'stream' && model.stream?.key !== undefined) named.push(model.stream.key);
  const unnamed = rows.filter((row) => row.kind === 'record' && !models(row.model).hasNumericId);
  const unknown = named.filter((key) => !keys.includes(key));
  const known = keys.length === 0 ? 'There are none.' : `Name one of ${keys.join(', ')}.`;
  return [
    ...unknown.map((key) => `the target names \`${key}\`, which is neither a path parameter nor an argument. ${known}`),
    ...unnamed.map((row) => `a target cannot name a row of ${row.model.name}: the model has no \`id Int @id\`.`),
    ...(target.kind === 'stream' && !model.stream ? [`model('${model.name}') declares no \`stream\`. Add it.`] : []),
    ...(of && !models(model).refersTo(models(of.model))
      ? [`${model.name} must refer to ${of.model.name} by exactly one relation in prisma/schema.prisma.`]
      : []),
  ];
}

/**
 * Checks the routes of an application against its policy, before the service listens. Returns the problems: an operation that is
 * not public and has no route; a target that names what is not there; a route whose action reaches `own` and whose target has no
 * owner.
 */
export function routeProblems(policy: Policy, models: DeclaredModels, routes: readonly OperationRoute[]): string[] {
  return routes.flatMap(({ by, action, keys, route }) => {
    if (route === notWritten || route === undefined) return [];
    if (!isRoute(route)) return [`${by} needs ${action}: write it as route({ target, handler }), not as a function.`];
    const { target, handler } = route;
    const problems = targetProblems(target, keys, models).map((problem) => `${by}: ${problem}`);
    if (target.kind === 'create' && !handler) problems.push(`${by}: a route that creates needs a handler.`);
    const reaches = Object.values(policy[action] ?? {});
    if (!reaches.includes('own')) return problems;
    if (target.kind === 'stream')
      return [
        ...problems,
        `${by}: ${action} reaches \`own\`, but all subscribers share a stream. Let it reach \`any\` or \`none\`.`,
      ];
    const decides = decidesBy(target);
    if (decides === 'owner' || (decides === 'self' && !reaches.includes('any'))) return problems;
    const missing = target.model.owned
      ? 'the target does not name a stored row'
      : `model('${target.model.name}') has no \`owner\``;
    return [...problems, `${by}: ${action} reaches \`own\`, but ${missing}.`];
  });
}
