import type { Policy } from '../calls/access.js';
import { notWritten } from '../calls/errors.js';
import type { DeclaredModels } from './model-data.js';
import { isRoute } from './route.js';
import type { Decides, Target } from './target.js';

/** How much of the access decision a target makes. */
function decidesBy(target: Target): Decides {
  const decider = target.of ?? target;
  if (!decider.model.owned) return 'nothing';
  return target.kind === 'create' && !target.of ? 'self' : 'owner';
}

/**
 * Checks the routes of an application against its policy, before the service listens. Returns the problems: an operation that is
 * not public and has no route; a route whose action reaches `own` and whose target has no owner.
 */
export function routeProblems(
  policy: Policy,
  models: DeclaredModels,
  routes: readonly { by: string; action: string; route: unknown }[],
): string[] {
  return routes.flatMap(({ by, action, route }) => {
    if (route === notWritten || route === undefined) return [];
    if (!isRoute(route)) return [`${by} needs ${action}: write it as route({ target, handler }), not as a function.`];
    const { target, handler } = route;
    const problems = [target, target.of, target.kind === 'create' ? target.on : undefined]
      .filter((one) => one !== undefined)
      .filter(({ model }) => models.byName(model.name) === undefined)
      .map(({ model }) => `${by}: add ${model.name} to the \`models\` of the application.`);
    if (target.kind === 'create' && !handler) problems.push(`${by}: a route that creates needs a handler.`);
    if (by.startsWith('Subscription.') && !handler && !(target.kind === 'stream' && target.model.stream))
      problems.push(`${by}: a subscription needs a handler, or stream() of a model with a \`stream\`.`);
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
