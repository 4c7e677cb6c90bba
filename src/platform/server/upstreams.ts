import type { Outages } from '../database/outages.js';
import type { Upstreams } from '../rest/forward.js';
import { ConfigError } from './config.js';

/**
 * The services behind this one, with the addresses that the environment gives.
 * @param variables by the name of each service, the variable that says where it is
 * @throws ConfigError that names each variable without a value
 */
export function upstreamsOf(
  variables: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, unknown>>,
  told: Outages,
): Upstreams {
  const unset = Object.entries(variables).filter(([, variable]) => typeof environment[variable] !== 'string');
  if (unset.length > 0) {
    const lines = unset.map(
      ([name, variable]) => `${variable}: is unset, and says where "${name}" is, to which the contract forwards`,
    );
    throw new ConfigError(lines.join('\n'));
  }
  return Object.fromEntries(
    Object.entries(variables).map(([name, variable]) => [
      name,
      { url: String(environment[variable]), dependency: told.dependency(`Upstream ${name}`) },
    ]),
  );
}
