import type { MediaType, Parameter } from '../../src/platform/contract/document.js';
import type { Operation } from '../../src/platform/contract/openapi.js';

/** An Example Object (OpenAPI 3.1 §4.8.19). */
interface Example {
  value?: unknown;
  /** The role that sends it, where it takes more than the operation itself does. */
  'x-role'?: string;
}
type Examples = Record<string, Example>;

/** A request as the contract shows it. Examples of one name belong together. */
export interface ShownRequest {
  /** `createUser withPassword`; of several media types, with theirs. */
  title: string;
  /** Undefined for what no example names. */
  name: string | undefined;
  role: string | undefined;
  path: string;
  headers: Record<string, string>;
  body: unknown;
}

/** The examples of a body, a parameter or an answer; what is shown without a name is in it under the empty one. */
function examplesOf({ example, examples = {} }: Pick<MediaType, 'example' | 'examples'>): Examples {
  return example === undefined ? examples : { '': { value: example } };
}

const isRead = ({ method }: Operation) => method === 'GET';

/** The example of a name, or the first one. */
const shown = (examples: Examples, name: string | undefined): Example | undefined =>
  (name === undefined ? undefined : examples[name]) ?? Object.values(examples)[0];

/** What is chosen of the examples of a parameter: what is optional only where it is meant. */
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
 * The requests that the contract shows of an operation: one for each name of an example. What is optional and has no name is sent
 * with the first of a write, and by itself of a read.
 */
export function shownRequests(operation: Operation): ShownRequest[] {
  const { parameters, requestBody } = operation.operation;
  const bodies = Object.entries(requestBody?.content ?? { '': {} }).map(
    ([type, content]) => [type, examplesOf(content)] as const,
  );
  const unnamed = parameters.filter((one) => one.required !== true && '' in examplesOf(one));
  return bodies.flatMap(([type, body]) => {
    const names = [...new Set([...parameters.map(examplesOf), body].flatMap(Object.keys))].filter((one) => one !== '');
    const make = (name: string | undefined, choice: Choice, also?: string) => {
      const content = requestBody ? shown(body, name) : undefined;
      return requestOf(operation, { name, type, content, choice, several: bodies.length > 1, also });
    };
    if (isRead(operation)) {
      return [
        make(undefined, required),
        ...names.map((name) => make(name, named(name))),
        ...unnamed.map((one) =>
          make(
            undefined,
            also(required, (other) => other === one),
            one.name,
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

function requestOf(operation: Operation, { name, type, content, choice, several, also }: Shown): ShownRequest {
  const chosen = operation.operation.parameters.flatMap((parameter) => {
    const example = choice(parameter, examplesOf(parameter));
    return example === undefined ? [] : [{ ...parameter, text: String(example.value), example }];
  });
  const at = (place: string) => chosen.filter((one) => one.in === place);
  const filled = at('path').reduce(
    (path, one) => path.replace(`{${one.name}}`, encodeURIComponent(one.text)),
    operation.path,
  );
  const query = new URLSearchParams(Object.fromEntries(at('query').map((one) => [one.name, one.text]))).toString();
  const cookie = at('cookie').map((one) => `${one.name}=${one.text}`);
  return {
    title: [operation.operationId, name, also, several && type].filter(Boolean).join(' '),
    name,
    role: [content, ...chosen.map(({ example }) => example)].find((one) => one?.['x-role'])?.['x-role'],
    path: query === '' ? filled : `${filled}?${query}`,
    headers: {
      ...Object.fromEntries(at('header').map((one) => [one.name, one.text])),
      ...(cookie.length > 0 && { cookie: cookie.join('; ') }),
      ...(content !== undefined && { 'content-type': type }),
    },
    body: content?.value,
  };
}

/** What the contract promises of a request that it shows. */
export interface ShownAnswer {
  /** Of the answer that has an example of that name; otherwise any that is no failure. */
  statuses: number[];
  /** The example of that name, or of what is read the first, and the status that it is of. Undefined where none is shown. */
  example: { status: number; value: unknown } | undefined;
}

export function shownAnswer(operation: Operation, { name }: Pick<ShownRequest, 'name'>): ShownAnswer {
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

/** In the order of what they change: reads, creations, changes, and deletions, the last of the document before the first. */
export function bySideEffect(operations: readonly Operation[]): Operation[] {
  const of = (...methods: string[]) => operations.filter(({ method }) => methods.includes(method));
  return [...of('GET'), ...of('POST'), ...of('PUT', 'PATCH'), ...of('DELETE').reverse()];
}
