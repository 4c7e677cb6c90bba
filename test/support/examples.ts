import type { MediaType, Parameter } from '../../src/platform/core/contract/document.js';
import type { RestOperation } from '../../src/platform/core/contract/openapi.js';

/** An Example Object (OpenAPI 3.1 §4.8.19). */
interface Example {
  value?: unknown;
  /** The role that sends the request, if the operation's lowest role may not. */
  'x-role'?: string;
}
type Examples = Record<string, Example>;

/** A request that consists of the contract's examples of one name. */
export interface ShownRequest {
  /** `createUser withPassword`, with the media type if there are several. */
  title: string;
  /** Undefined for examples without names. */
  name: string | undefined;
  role: string | undefined;
  path: string;
  headers: Record<string, string>;
  body: unknown;
}

/** Returns the examples of a body, a parameter or an answer. An example without a name has the key ''. */
function examplesOf({ example, examples = {} }: Pick<MediaType, 'example' | 'examples'>): Examples {
  return example === undefined ? examples : { '': { value: example } };
}

const isRead = ({ method }: RestOperation) => method === 'GET';

/** Returns the example of a name, or the first one. */
const shown = (examples: Examples, name: string | undefined): Example | undefined =>
  (name === undefined ? undefined : examples[name]) ?? Object.values(examples)[0];

/** Chooses an example of a parameter. An optional parameter is sent only by the requests that name it. */
type Choice = (parameter: Parameter, examples: Examples) => Example | undefined;

const required: Choice = ({ required = false }, examples) => (required ? shown(examples, undefined) : undefined);
const named =
  (name: string): Choice =>
  ({ required = false }, examples) =>
    required ? shown(examples, name) : examples[name];
const also =
  (choice: Choice, isMeant: (parameter: Parameter) => boolean): Choice =>
  (parameter, examples) =>
    choice(parameter, examples) ?? (isMeant(parameter) ? examples[''] : undefined);

/**
 * Returns the requests that the contract shows for an operation, one for each name. An unnamed optional parameter is
 * sent with the first request of a write, and in a request of its own to a read.
 */
export function shownRequests(operation: RestOperation): ShownRequest[] {
  const { parameters, requestBody } = operation.operation;
  const bodies = Object.entries(requestBody?.content ?? { '': {} }).map(
    ([type, content]) => [type, examplesOf(content)] as const,
  );
  const unnamed = parameters.filter((parameter) => parameter.required !== true && '' in examplesOf(parameter));
  return bodies.flatMap(([type, body]) => {
    const names = [...new Set([...parameters.map(examplesOf), body].flatMap(Object.keys))].filter(
      (name) => name !== '',
    );
    const make = (name: string | undefined, choice: Choice, also?: string) => {
      const content = requestBody ? shown(body, name) : undefined;
      return requestOf(operation, { name, type, content, choice, several: bodies.length > 1, also });
    };
    if (isRead(operation)) {
      return [
        make(undefined, required),
        ...names.map((name) => make(name, named(name))),
        ...unnamed.map((parameter) =>
          make(
            undefined,
            also(required, (other) => other === parameter),
            parameter.name,
          ),
        ),
      ];
    }
    const [first, ...others] = names;
    const withAll = also(first === undefined ? required : named(first), () => true);
    return [make(first, withAll), ...others.map((name) => make(name, named(name)))];
  });
}

interface Shown {
  name: string | undefined;
  type: string;
  content: Example | undefined;
  choice: Choice;
  several: boolean;
  also: string | undefined;
}

function requestOf(operation: RestOperation, { name, type, content, choice, several, also }: Shown): ShownRequest {
  const chosen = operation.operation.parameters.flatMap((parameter) => {
    const example = choice(parameter, examplesOf(parameter));
    return example === undefined ? [] : [{ ...parameter, text: String(example.value), example }];
  });
  const at = (place: string) => chosen.filter((parameter) => parameter.in === place);
  const filled = at('path').reduce(
    (path, parameter) => path.replace(`{${parameter.name}}`, encodeURIComponent(parameter.text)),
    operation.path,
  );
  const query = new URLSearchParams(
    Object.fromEntries(at('query').map((parameter) => [parameter.name, parameter.text])),
  ).toString();
  const cookie = at('cookie').map((parameter) => `${parameter.name}=${parameter.text}`);
  return {
    title: [operation.operationId, name, also, several && type].filter(Boolean).join(' '),
    name,
    role: [content, ...chosen.map(({ example }) => example)].find((example) => example?.['x-role'])?.['x-role'],
    path: query === '' ? filled : `${filled}?${query}`,
    headers: {
      ...Object.fromEntries(at('header').map((parameter) => [parameter.name, parameter.text])),
      ...(cookie.length > 0 && { cookie: cookie.join('; ') }),
      ...(content !== undefined && { 'content-type': type }),
    },
    body: content?.value,
  };
}

/** The answer that the contract shows for a request. */
export interface ShownAnswer {
  /** The status of the example with that name; without one, all successful statuses. */
  statuses: number[];
  /** The example of that name, or the first one of a read; undefined without an example. */
  example: { status: number; value: unknown } | undefined;
}

export function shownAnswer(operation: RestOperation, { name }: Pick<ShownRequest, 'name'>): ShownAnswer {
  const answers = Object.entries(operation.operation.responses).map(([status, { content = {} }]) => ({
    status: Number(status),
    examples: examplesOf(Object.values(content)[0] ?? {}),
  }));
  const paired = answers.find(({ examples }) => name !== undefined && name in examples);
  if (paired) {
    const { status, examples } = paired;
    return { statuses: [status], example: { status, value: examples[name ?? '']?.value } };
  }
  const successes = answers.filter(({ status }) => status < 400);
  const found = isRead(operation) && name === undefined ? successes.find(({ status }) => status === 200) : undefined;
  const first = found && shown(found.examples, undefined);
  return {
    statuses: successes.map(({ status }) => status),
    example: first && { status: 200, value: first.value },
  };
}

/** Sorts operations by their effects: reads, creations, changes, and deletions in reverse order. */
export function bySideEffect(operations: readonly RestOperation[]): RestOperation[] {
  const of = (...methods: string[]) => operations.filter(({ method }) => methods.includes(method));
  return [...of('GET'), ...of('POST'), ...of('PUT', 'PATCH'), ...of('DELETE').reverse()];
}
