import { keysOf } from '@accord-api/platform/contract/document';
import { operationEntries } from '@accord-api/platform/contract/openapi';
import { createConfig, isPlainObject, type Oas3Rule, type Plugin, type UserContext } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { EXTENSIONS } from '../model/extensions.js';
import { PAGE_SIZE } from '../model/names.js';
import { isTime } from '../model/openapi-rules.js';
import {
  type AnyNode,
  contradictionIn,
  isPaged,
  patternFault,
  type RuleName,
  startsWithVerb,
  WARNINGS,
} from './rules.js';

type Visit = (node: AnyNode, context: UserContext) => void;

const { plugins } = await createConfig({});

/** Returns a rule of Redocly. Its package exports no single rules. Throws if there is no rule of this name. */
function redoclyRule(name: string): Oas3Rule {
  const rule = plugins.find(({ id }) => id === '')?.rules?.oas3?.[name];
  if (rule === undefined) throw new Error(`@redocly/openapi-core has no rule ${name}.`);
  return rule;
}

/** Makes a rule that reports each operationId which is not sound. */
const operationIdRule =
  (isSound: (id: string) => boolean, advice: string): Oas3Rule =>
  () => ({
    Operation({ operationId }, { location, report }) {
      if (operationId === undefined || isSound(operationId)) return;
      report({ message: `operationId "${operationId}" ${advice}`, location: location.child('operationId') });
    },
  });

/** Members that hold the list of an envelope. */
const ENVELOPE = ['data', 'items', 'results', 'entries', 'records'];

/** Returns true if the schema is a list without `maxItems`, or an object around a list. */
function isUnboundedList(schema: AnyNode, resolve: UserContext['resolve'], seen = new Set<AnyNode>()): boolean {
  const node: AnyNode = resolve(schema).node;
  if (!isPlainObject(node) || seen.has(node)) return false;
  seen.add(node);
  const { type, maxItems, properties = {}, oneOf = [], anyOf = [], allOf = [] }: AnyNode = node;
  if (type === 'array') return maxItems === undefined;
  if (ENVELOPE.some((name) => resolve<AnyNode>(properties[name]).node?.type === 'array')) return true;
  return [...oneOf, ...anyOf, ...allOf].some((alternative) => isUnboundedList(alternative, resolve, seen));
}

/** Returns what an `x-deprecation` lacks, or undefined. A successor must be one of the names, if there are any. */
function lackOfDeprecation({ since, sunset, successor }: AnyNode, names?: ReadonlySet<string>): string | undefined {
  if (!isTime(since) || !isTime(sunset)) return 'the times `since` and `sunset` (ISO 8601)';
  if (Date.parse(sunset) <= Date.parse(since)) return 'a `sunset` after its `since`';
  if (typeof successor !== 'string' || successor === '') return 'a `successor` (or `none`)';
  if (names === undefined || successor === 'none' || names.has(successor)) return undefined;
  return `a \`successor\` that is the operationId of an operation that stays: "${successor}" is none`;
}

const FORWARD =
  'x-forward is not supported any more: write a handler that calls the other service by `outside`, and remove x-forward.';

export const OPENAPI_RULES = {
  'operation-id-camel-case': operationIdRule(
    (id) => /^[a-z][a-z\d]*([A-Z][a-z\d]+)*$/.test(id),
    'is not camelCase: write one capital for each word, as in getHttpHeader.',
  ),
  'operation-id-verb': operationIdRule(
    startsWithVerb,
    'does not begin with a verb that says what it does, as "get" does.',
  ),
  'path-verb': (options) => redoclyRule('no-http-verbs-in-paths')({ ...options, splitIntoWords: true }),
  // RFC 9110, 9.3.1, 9.3.2 and 9.3.8.
  'request-body-meaningless': () => ({
    Operation({ requestBody }, { key, location, report }) {
      if (requestBody === undefined || !['get', 'head', 'trace'].includes(String(key))) return;
      const message = `A ${String(key).toUpperCase()} takes no body: use parameters, or make it a POST.`;
      report({ message, location: location.child('requestBody').key() });
    },
  }),
  // RFC 9110, 6.4.1 and 15.3.6.
  'response-content-impossible': () => ({
    Responses: {
      Response({ content = {} }, { key, rawLocation, report }) {
        if (!/^(1\d\d|1XX|204|205|304)$/.test(String(key)) || Object.keys(content).length === 0) return;
        report({ message: `A ${key} has no content: remove it, or use another status.`, location: rawLocation.key() });
      },
    },
  }),
  'failure-declared': redoclyRule('operation-4xx-response'),
  'error-body': () => ({
    Responses: {
      Response({ content = {} }, { key, location, report }) {
        const media = Object.values(content);
        if (!/^[45]/.test(String(key)) || (media.length > 0 && media.every(({ schema }) => schema))) return;
        const message = 'A failure needs a body with a schema, to say what was wrong.';
        report({ message, location: location.child('description').key() });
      },
    },
  }),
  'list-paging': () => ({
    PathItem({ get, parameters = [] }, { location, report, resolve }) {
      if (get === undefined) return;
      const all = [...parameters, ...(get.parameters ?? [])].map((parameter) => resolve<AnyNode>(parameter).node);
      const names = all.filter((parameter) => parameter?.in === 'query').map(({ name }) => name);
      const responses = Object.entries<AnyNode>(get.responses ?? {}).filter(([status]) => status.startsWith('2'));
      const media = responses.flatMap(([, node]) => Object.values<AnyNode>(resolve<AnyNode>(node).node?.content ?? {}));
      if (isPaged(names) || !media.some(({ schema }) => isUnboundedList(schema, resolve))) return;
      const message =
        'This returns a list: add the parameter `limit` with `offset`, `page` or `after`, or give the array maxItems.';
      report({ message, location: location.child(['get', 'operationId']) });
    },
  }),
  'list-maximum': () => ({
    Parameter({ in: where, name = '', schema }: AnyNode, { location, report, resolve }) {
      if (where !== 'query' || !PAGE_SIZE.test(name) || resolve<AnyNode>(schema).node?.maximum !== undefined) return;
      const message = `\`${name}\` has no maximum, so one request may ask for everything.`;
      report({ message, location: location.child('schema') });
    },
  }),
  'pattern-sound': () => ({
    Schema({ pattern, patternProperties = {} }: AnyNode, { location, report }) {
      const ofNames = Object.keys(patternProperties).map((pattern) => [
        pattern,
        location.child(['patternProperties', pattern]).key(),
      ]);
      for (const [text, place] of [[pattern, location.child('pattern')], ...ofNames]) {
        const message = text === undefined ? undefined : patternFault(text);
        if (message !== undefined) report({ message, location: place });
      }
    },
  }),
  'bounds-contradict': () => ({
    Schema(schema, { location, report }) {
      const fault = contradictionIn(schema);
      if (fault !== undefined) report({ message: fault.message, location: location.child(fault.keyword).key() });
    },
  }),
  // Redocly's rules for examples, applied to what they leave out: headers and defaults.
  'example-refused': (options) => {
    const { Parameter } = redoclyRule('no-invalid-parameter-examples')(options) as { Parameter: { leave: Visit } };
    const { Schema } = redoclyRule('no-invalid-schema-examples')(options) as { Schema: { leave: Visit } };
    return {
      Header: Parameter,
      Schema: {
        leave({ examples: _, ...schema }: AnyNode, context) {
          if (schema.default === undefined) return;
          const { location } = context;
          const place = Object.assign(Object.create(location), { child: () => location.child('default') });
          Schema.leave({ ...schema, example: schema.default }, { ...context, location: place });
        },
      },
    };
  },
  'deprecation-complete': () => {
    const lasting = new Set<string>();
    const check: Visit = (node, { type, location, report }) => {
      if (node.deprecated !== true) return;
      const missing = lackOfDeprecation(node['x-deprecation'] ?? {}, type.name === 'Operation' ? lasting : undefined);
      if (missing === undefined) return;
      report({ message: `Add x-deprecation with ${missing}.`, location: location.child('deprecated').key() });
    };
    return {
      Root(root: AnyNode) {
        for (const { operation } of operationEntries(root))
          if (operation.deprecated !== true) lasting.add(operation.operationId);
      },
      Operation: check,
      Parameter: check,
      Header: check,
      Schema: check,
    };
  },
  'unused-component': redoclyRule('no-unused-components'),
  'unused-tag': () => ({
    Root(root: AnyNode, { location, report }) {
      const used = new Set(operationEntries(root).flatMap(({ operation }) => operation.tags ?? []));
      for (const [index, { name }] of (root.tags ?? []).entries())
        if (!used.has(name))
          report({ message: `No operation has the tag "${name}".`, location: location.child(['tags', index, 'name']) });
    },
  }),
  'member-description': () => {
    const check: Visit = (node, { type, location, report }) => {
      const isMember =
        type.name !== 'Schema' || /(\/properties|^#\/components\/schemas)\/[^/]+$/.test(location.pointer);
      if (!isMember || !isPlainObject(node) || String(node['description'] ?? '').trim() !== '') return;
      const name = node['name'] ?? keysOf(location.pointer).at(-1);
      report({ message: `\`${name}\` has no description.`, location: location.key() });
    };
    return { Parameter: check, Header: check, Schema: check };
  },
  'extension-shape': () => {
    const ajv = new Ajv2020({ allowUnionTypes: true });
    let isOurs = false;
    return {
      any(node, { type, location, report }) {
        // Contracts that were not written for Accord may use the same names for something else.
        if (type.name === 'Root') isOurs = operationEntries(node).some(({ operation }) => 'x-permission' in operation);
        if (!isOurs || type.extensionsPrefix === undefined || !isPlainObject(node)) return;
        const kind = type.name === 'Root' ? 'document' : type.name.toLowerCase();
        if (Object.hasOwn(node, 'x-forward')) report({ message: FORWARD, location: location.child('x-forward').key() });
        for (const [name, { on, schema, judged }] of Object.entries(EXTENSIONS)) {
          if (!Object.hasOwn(node, name)) continue;
          const place = location.child(name);
          if (!(on as readonly string[]).includes(kind))
            report({ message: `Nothing reads ${name} here: write it beside ${on.join(', ')}.`, location: place.key() });
          else if (!judged && !ajv.validate(schema, node[name]))
            for (const { instancePath, message, params } of ajv.errors ?? []) {
              const allowed = 'allowedValues' in params ? `: ${params['allowedValues'].join(', ')}` : '';
              const at = place.child(instancePath.split('/').slice(1)).key();
              report({ message: `${name} ${message}${allowed}.`, location: at });
            }
        }
      },
    };
  },
} satisfies Partial<Record<RuleName, Oas3Rule>>;

/** The rules of `accord lint` for openapi.yaml, for the linter of Redocly. `extends: [accord/recommended]` switches them on. */
export const redoclyPlugin: Plugin = {
  id: 'accord',
  // References in `x-unmatched` count as uses.
  typeExtension: {
    oas3: ({ Root, ...types }) => ({
      ...types,
      Root: { ...Root, properties: { ...Root?.properties, 'x-unmatched': 'Responses' } },
    }),
  },
  rules: { oas3: OPENAPI_RULES },
  configs: {
    recommended: {
      rules: {
        ...Object.fromEntries(
          Object.keys(OPENAPI_RULES).map((name) => [`accord/${name}`, WARNINGS.includes(name) ? 'warn' : 'error']),
        ),
        // `accord/failure-declared` and `accord/unused-component` are these rules, for a document with its `x-defaults`.
        'operation-4xx-response': 'off',
        'no-unused-components': 'off',
      },
    },
  },
};
