import { type OperationObject, rolesIn } from './document.js';

/** What is wrong with an operation that another service carries out, and the member that says it. */
interface ForwardFault {
  place: string[];
  message: string;
}

/**
 * Holds `x-forward` against the rest of its operation: what is forwarded is decided here by the role alone, for whose a thing is
 * only the other service knows.
 * @param path the template of the operation's path
 */
export function forwardFaults(
  path: string,
  {
    'x-forward': stated,
    'x-permission': main,
    'x-permission-also': further,
  }: Pick<OperationObject, 'x-forward' | 'x-permission' | 'x-permission-also'>,
): ForwardFault[] {
  if (stated === undefined) return [];
  const { to, path: there } = typeof stated === 'string' ? { to: stated } : ((stated ?? {}) as Record<string, unknown>);
  if (typeof to !== 'string' || !(there === undefined || (typeof there === 'string' && /^\/[^?#]*$/.test(there)))) {
    const message =
      'x-forward is the name of a service, or its name as `to` and as `path` where it is there, from a slash on.';
    return [{ place: ['x-forward'], message }];
  }
  const parameters = parametersOf(path);
  const unknown = parametersOf(there ?? '').filter((name) => !parameters.includes(name));
  const owned = typeof main === 'object' ? rolesIn(main).filter((role) => main[role] === 'own') : [];
  return [
    ...unknown.map((name) => ({
      place: ['x-forward'],
      message: `x-forward fills {${name}} with a path parameter, and the operation has none of the name.`,
    })),
    ...owned.map((role) => ({
      place: ['x-permission', role],
      message: `What is forwarded cannot be "own" to ${role}: only the other service knows whose it is. Say any or none.`,
    })),
    ...(further === undefined
      ? []
      : [
          {
            place: ['x-permission-also'],
            message: 'What is forwarded has no further permission: when it applies only the other service knows.',
          },
        ]),
  ];
}

/** The names of a template's parameters. */
const parametersOf = (template: string): string[] => [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
