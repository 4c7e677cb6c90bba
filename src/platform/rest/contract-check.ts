import type { Mechanism } from '../calls/access.js';
import { kindOf, type OpenApiDocument } from '../contract/document.js';
import { forwardFaults, type Operation } from '../contract/openapi.js';
import { parameterForm } from '../contract/parameter-form.js';
import type { Upstreams } from '../forward/outside.js';
import type { Names } from '../names.js';

const KNOWN_SCHEMES: readonly string[] = [
  'basicAuth',
  'opaqueToken',
  'jwt',
  'cookieAuth',
  'metricsToken',
] satisfies readonly (Mechanism | 'metricsToken')[];

/**
 * Compares the contract with the code: security schemes, cookies, the vendor media type, parameters, and upstreams.
 * @throws Error that lists all differences
 */
export function checkContract(
  { components }: OpenApiDocument,
  operations: Operation[],
  names: Names,
  upstreams: Upstreams,
): void {
  const schemes = Object.entries(components.securitySchemes ?? {});
  const problems = [
    ...schemes.flatMap(([name]) => (KNOWN_SCHEMES.includes(name) ? [] : `security scheme ${name} has no handler`)),
    ...schemes.flatMap(([, scheme]) =>
      scheme.type === 'apiKey' && scheme.in === 'cookie' ? otherCookie(scheme.name, [names.accessCookie]) : [],
    ),
    ...operations.flatMap((operation) => [
      ...checkOperation(operation),
      ...otherNames(operation, names),
      ...checkForward(operation, upstreams),
    ]),
  ];
  const unique = [...new Set(problems)];
  if (unique.length > 0) throw new Error(`openapi.yaml and the code disagree:\n  ${unique.join('\n  ')}`);
}

function checkOperation({ operationId, security, permission, operation }: Operation): string[] {
  const schemes = security.flatMap((alternative) => Object.keys(alternative));
  const unknown = schemes.filter((scheme) => !KNOWN_SCHEMES.includes(scheme));
  const problems = unknown.map((scheme) => `requires ${scheme}, which has no handler`);
  if (permission !== 'public' && schemes.length === 0) problems.push('has a permission and takes no credentials');
  const isKeyed = operation.parameters.some((one) => one.in === 'header' && /^idempotency-key$/i.test(one.name));
  const hasStream = Object.keys(operation.requestBody?.content ?? {}).some((type) => kindOf(type) === 'stream');
  if (isKeyed && hasStream)
    problems.push('takes an Idempotency-Key with a body that is a stream, which cannot be compared with another');
  for (const one of operation.parameters) {
    const form = parameterForm(one);
    if (form.kind === 'unsupported') problems.push(`has the ${one.in} parameter ${one.name}, which ${form.reason}`);
  }
  return problems.map((problem) => `${operationId} ${problem}`);
}

/** Rejects permissions that only the upstream could decide, also in a contract without lint. */
function checkForward({ operationId, forward, path, operation }: Operation, upstreams: Upstreams): string[] {
  const faults = forwardFaults(path, operation).map(({ message }) => `${operationId}: ${message}`);
  if (faults.length > 0 || forward === undefined || Object.hasOwn(upstreams, forward.to)) return faults;
  return [`${operationId} is forwarded to "${forward.to}", which is none of the application's upstreams`];
}

const otherCookie = (name: string, own: string[]): string[] =>
  own.includes(name) ? [] : [`the cookie ${name} is not ${own.join(' or ')}, which the application's name makes it`];

function otherNames(
  { operationId, operation }: Operation,
  { mediaType, accessCookie, refreshCookie }: Names,
): string[] {
  const bodies = [operation.requestBody, ...Object.values(operation.responses)];
  const vendor = bodies
    .flatMap((body) => Object.keys(body?.content ?? {}))
    .filter((type) => /^application\/vnd\.[^;]*\+json$/.test(type) && type !== mediaType);
  const cookies = operation.parameters
    .filter((one) => one.in === 'cookie' && /_(access|refresh)$/.test(one.name))
    .flatMap(({ name }) => otherCookie(name, [accessCookie, refreshCookie]));
  return [
    ...vendor.map((type) => `${operationId} speaks ${type}, and the application's own is ${mediaType}`),
    ...cookies.map((problem) => `${operationId}: ${problem}`),
  ];
}
