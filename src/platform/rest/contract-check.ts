import type { OpenApiDocument } from '../contract/document.js';
import { forwardFaults } from '../contract/forward.js';
import type { Operation } from '../contract/openapi.js';
import { parameterForm } from '../contract/parameter-form.js';
import type { Upstreams } from '../forward/upstreams.js';
import type { Names } from '../names.js';
import { bodyForms } from './request-body.js';
import { knownSchemes } from './security.js';

/**
 * Holds the contract against the code before anything listens: every protected operation names schemes, and
 * each scheme has a handler. And what the contract says of cookies and of the vendor media type is what the application's name
 * makes of them, and whoever carries an operation out is there.
 * @throws Error that lists all differences
 */
export function checkContract(
  { components }: OpenApiDocument,
  operations: Operation[],
  names: Names,
  upstreams: Upstreams,
): void {
  const declared = Object.keys(components.securitySchemes ?? {});
  const unmapped = declared.filter((scheme) => !knownSchemes.has(scheme));
  const problems = [
    ...unmapped.map((scheme) => `security scheme ${scheme} has no handler`),
    ...operations.flatMap((operation) => checkOperation(operation)),
    ...Object.values(components.securitySchemes ?? {}).flatMap((scheme) =>
      scheme.type === 'apiKey' && scheme.in === 'cookie' ? otherCookie(scheme.name, [names.accessCookie]) : [],
    ),
    ...operations.flatMap((operation) => otherNames(operation, names)),
    ...operations.flatMap((operation) => checkForward(operation, upstreams)),
  ];
  // An operation stands here once for each version that has it.
  const told = [...new Set(problems)];
  if (told.length > 0) throw new Error(`openapi.yaml and the code disagree:\n  ${told.join('\n  ')}`);
}

function checkOperation(operation: Operation): string[] {
  const { operationId, security, permission } = operation;
  const schemes = security.flatMap((alternative) => Object.keys(alternative));
  const unknown = schemes.filter((scheme) => !knownSchemes.has(scheme));
  const problems = unknown.map((scheme) => `requires ${scheme}, which has no handler`);
  if (permission !== 'public' && schemes.length === 0) problems.push('has a permission and takes no credentials');
  if (isKeyed(operation) && bodyForms(operation).some(({ kind }) => kind === 'stream'))
    problems.push('takes an Idempotency-Key with a body that is a stream, which cannot be told from another');
  return [...problems, ...unreadParameters(operation)].map((problem) => `${operationId} ${problem}`);
}

/** What would be read as something else than its schema says. */
const unreadParameters = ({ operation }: Operation): string[] =>
  operation.parameters.flatMap((one) => {
    const form = parameterForm(one);
    return form.kind === 'unread' ? [`has the ${one.in} parameter ${one.name}, which ${form.why}`] : [];
  });

const isKeyed = ({ operation }: Operation): boolean =>
  operation.parameters.some(({ in: place, name }) => place === 'header' && name.toLowerCase() === 'idempotency-key');

/** What would let too many do it is refused, whether or not somebody has linted the contract. */
function checkForward({ operationId, forward, path, operation }: Operation, upstreams: Upstreams): string[] {
  const faults = forwardFaults(path, operation).map(({ message }) => `${operationId}: ${message}`);
  if (faults.length > 0 || forward === undefined || Object.hasOwn(upstreams, forward.to)) return faults;
  return [`${operationId} is forwarded to "${forward.to}", which is none of the application's upstreams`];
}

const otherCookie = (name: string, own: string[]): string[] =>
  own.includes(name) ? [] : [`the cookie ${name} is not ${own.join(' or ')}, which the application's name makes it`];

/** What an operation says under the name of another application. */
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
    ...new Set(vendor.map((type) => `${operationId} speaks ${type}, and the application's own is ${mediaType}`)),
    ...cookies.map((problem) => `${operationId}: ${problem}`),
  ];
}
