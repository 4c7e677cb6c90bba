import type { Fact } from './form.js';

const kebab = (name: string) =>
  name
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    .replaceAll('_', '-')
    .toLowerCase();

/** Rules that judge by which way a value travels. */
const BOTH_WAYS =
  /^(?:type|enum|value|alternative|default|member|required|extra|condition|not|exclusive|discriminator(?:Value)?|mapping|extensibleValue|pattern|format|multipleOf|uniqueItems|x-uncommon|content(?:Encoding|MediaType)|(?:exclusive)?[mM](?:in|ax)[A-Z]?\w*)$/;

/** What a rule is called: `response-value-added`, `operation-removed`. */
export const ruleName = ({ rule, direction }: Pick<Fact, 'rule' | 'direction'>, what: string): string =>
  kebab([...(BOTH_WAYS.test(rule) ? [direction] : []), rule, ...(rule === what ? [] : [what])].join('-'));

/** What a change that the inspector found is called: `graphql-enum-value-added`. */
export const inspectedName = (type: string): string => kebab(`graphql-${type}`);
