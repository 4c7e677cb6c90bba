import type { Schema } from '@accord-api/platform/contract/document';
import { resolveReference } from '@accord-api/platform/contract/references';
import { PAGE_SIZE, PAGE_START } from '../model/paging-names.js';
import type { Rest, RestFlaw, RestRule } from './rule.js';

/** Where an envelope keeps its list. */
const ENVELOPE = ['data', 'items', 'results', 'entries', 'records'];

const written = (source: unknown, schema: Schema | boolean | undefined): Schema => {
  if (typeof schema !== 'object') return {};
  return schema.$ref === undefined ? schema : written(source, resolveReference(source, schema.$ref) as Schema);
};

/** Whether a schema is that of a list without a bound of its own. */
function isList(source: unknown, schema: Schema | boolean | undefined, above: readonly Schema[] = []): boolean {
  const whole = written(source, schema);
  if (above.includes(whole)) return false;
  const { type, maxItems, properties = {}, ...rest } = whole;
  if (type === 'array') return maxItems === undefined;
  const alternatives = [...(rest.oneOf ?? []), ...(rest.anyOf ?? []), ...(rest.allOf ?? [])];
  const enveloped = ENVELOPE.some((name) => written(source, properties[name]).type === 'array');
  return enveloped || alternatives.some((one) => isList(source, one, [...above, whole]));
}

/** Whether parameters or arguments of these names page a list. */
export const pages = (names: readonly string[]) =>
  names.some((name) => PAGE_SIZE.test(name)) && names.some((name) => PAGE_START.test(name));

function unpagedOperations({ source, operations }: Rest): RestFlaw[] {
  return operations.flatMap(({ operationId, operation, at }) => {
    const replies = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
    const media = replies.flatMap(([, { content = {} }]) => Object.values(content));
    if (at.at(-1) !== 'get' || !media.some(({ schema }) => isList(source, schema))) return [];
    if (pages(operation.parameters.filter((one) => one.in === 'query').map(({ name }) => name))) return [];
    const message = `${operationId} answers with a list and takes no \`limit\` with an \`offset\`, \`page\` or \`after\`; or give the array maxItems.`;
    return [{ path: [...at, 'operationId'], message }];
  });
}

function unboundedParameters({ source, elements }: Rest): RestFlaw[] {
  return elements.flatMap(({ kind, path, object }) => {
    if (kind !== 'parameter' || object.in !== 'query' || !PAGE_SIZE.test(object.name)) return [];
    if (written(source, object.schema).maximum !== undefined) return [];
    return [
      {
        path: [...path, 'schema'],
        message: `\`${object.name}\` has no maximum: one request may ask for all there is.`,
      },
    ];
  });
}

export const PAGED = {
  name: 'list-paging',
  why: 'A list without paging grows until it is an outage, and adding paging later breaks its clients.',
};
export const BOUNDED = { name: 'list-maximum', why: 'A page without a greatest size is no page.' };

export const REST_PAGING_RULES: RestRule[] = [
  { ...PAGED, check: unpagedOperations },
  { ...BOUNDED, check: unboundedParameters },
];
