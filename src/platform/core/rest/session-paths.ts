import type { OpenApiDocument } from '../contract/document.js';
import { type RestOperation, schemaName } from '../contract/openapi.js';
import type { SessionPaths } from '../part.js';

/**
 * Returns the paths of the newest login and logout for browsers. The body of the login has `email`, `password` and
 * `cookie`. The logout takes the refresh cookie and responds with 204.
 * @returns undefined if the contract lacks one of them
 */
export function sessionPaths(
  { components }: OpenApiDocument,
  all: readonly RestOperation[],
  refreshCookie: string,
): SessionPaths | undefined {
  const membersOf = ({ operation }: RestOperation): string[] => {
    const { schema = {} } = operation.requestBody?.content['application/json'] ?? {};
    return Object.keys((components.schemas[schemaName(schema) ?? ''] ?? schema).properties ?? {});
  };
  const withCredentials = all.filter(({ method, credentialsInBody }) => method === 'POST' && credentialsInBody);
  const login = withCredentials.findLast((operation) =>
    ['email', 'password', 'cookie'].every((name) => membersOf(operation).includes(name)),
  );
  const logout = withCredentials.findLast(
    ({ operation: { parameters, responses } }) =>
      '204' in responses && parameters.some(({ in: place, name }) => place === 'cookie' && name === refreshCookie),
  );
  return login && logout && { login: login.path, logout: logout.path };
}
