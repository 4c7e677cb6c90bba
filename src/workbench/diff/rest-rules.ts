import type { Verdict } from './change.js';
import { covering, isFailure } from './covering.js';
import { isTree, type Value } from './form.js';
import { PERMISSION_RULES } from './permission-rules.js';
import { judge, type Rule, subject, told } from './rule.js';
import { deprecated, SCHEMA_RULES } from './schema-rules.js';
import { SECURITY_RULES } from './security-rules.js';
import { ANY } from './service-form.js';

const SUNSET = 'Mark it `deprecated: true` with x-deprecation, and remove it once its sunset has passed.';

/** What is added harms nobody; what is removed is missed by somebody. */
const presence =
  (kind: string, removed: Verdict, advice?: string, added: Verdict = 'safe'): Rule =>
  ({ action, fact: { name, where } }) => {
    if (action === 'replace') return undefined;
    const what = action === 'add' ? 'added' : 'removed';
    const verdict = action === 'add' ? added : removed;
    const place = where === '' ? '' : ` of ${where}`;
    const message = `${kind} \`${name}\`${place} is ${action === 'add' ? 'new' : 'gone'}`;
    return { verdict, what, message, ...(verdict === 'breaking' && advice !== undefined && { advice }) };
  };

const operation: Rule = ({ action, before, after, fact: { where } }) => {
  const address = (value: Value) => (isTree(value) ? value['address'] : '');
  if (action === 'add')
    return { verdict: 'safe', what: 'added', message: `operation ${where} (${address(after)}) is new` };
  return {
    verdict: 'breaking',
    what: 'removed',
    message: `operation ${where} (${address(before)}) is gone`,
    advice: SUNSET,
  };
};

const changed =
  (verdict: Verdict, sentence: string, advice?: string): Rule =>
  ({ before, after, fact: { where } }) => {
    const message = `${sentence.replace('%', where)}: ${before ?? 'none'} → ${after ?? 'none'}`;
    return { verdict, what: 'changed', message, ...(advice !== undefined && { advice }) };
  };

/** A value of a server's variable; where any is one, in either version, none came or went by itself. */
const serverValue: Rule = (difference) => {
  const { before, after } = difference.siblings;
  const isAny = before.includes(ANY) || after.includes(ANY);
  return isAny ? undefined : presence('value', 'breaking', 'Keep the old address answering.')(difference);
};

/** Whether a server's variable has no list of values. */
const serverAny: Rule = ({ action, fact: { name } }) => {
  if (action === 'add')
    return { verdict: 'safe', what: 'added', message: `server variable \`${name}\` takes any value now` };
  const advice = 'Keep the old address answering.';
  return {
    verdict: 'breaking',
    what: 'removed',
    message: `server variable \`${name}\` takes only listed values now`,
    advice,
  };
};

/** What clients call it in their code. */
const operationId: Rule = (difference) => {
  const advice = 'Keep the operationId: it is a method of every generated client.';
  const found = changed('breaking', 'operationId', advice)(difference);
  return difference.action === 'add' && found ? { verdict: 'safe', what: 'added', message: found.message } : found;
};

/** A status that a client does not know is treated as x00 of its class (RFC 9110, 15): an error stays an error. */
const status: Rule = ({ action, siblings, fact: { name, where, direction } }) => {
  const failure = isFailure(name.toUpperCase());
  const message = `status ${name} of ${where} is ${action === 'add' ? 'new' : 'gone'}`;
  // What a webhook's receiver may answer is sent.
  if (action === 'add')
    return { verdict: failure || direction === 'request' ? 'safe' : 'risky', what: 'added', message };
  // Some statuses of a range are no others.
  if (/XX$/i.test(name) && siblings.after.some((one) => one.startsWith(name.charAt(0))))
    return { verdict: 'safe', what: 'removed', message };
  const advice = 'Keep it, and add the new status where clients can ask for it, by Prefer or a new operation.';
  return failure
    ? { verdict: 'safe', what: 'removed', message }
    : { verdict: 'breaking', what: 'removed', message, advice };
};

const parameter: Rule = (difference) => {
  const { action, before, after, path, fact } = difference;
  if (fact.direction === 'response') return header(difference);
  const name = subject(difference);
  const needed = (value: Value) => isTree(value) && value['required'] === true;
  if (action === 'add') {
    if (!needed(after)) return { verdict: 'safe', what: 'added', message: `${name} is new` };
    const advice = 'Make it optional, with a default for who leaves it out.';
    return { verdict: 'breaking', what: 'added', message: `${name} is new and required`, advice };
  }
  const advice = 'Go on accepting it, mark it `deprecated: true`, and ignore it.';
  // An unknown query parameter is 400 here; an unknown header is not looked at.
  const refused = needed(before) || path.at(-1)?.startsWith('query.');
  return {
    verdict: refused ? 'breaking' : 'risky',
    what: 'removed',
    message: `${name} is gone`,
    ...(refused && { advice }),
  };
};

const body: Rule = ({ action, after, fact: { where, direction } }) => {
  const required = direction === 'request' && isTree(after) && after['required'] === true;
  if (action === 'remove' && direction === 'response')
    return { verdict: 'breaking', what: 'removed', message: `${where} is gone`, advice: 'Go on sending it.' };
  if (action === 'remove')
    return { verdict: 'risky', what: 'removed', message: `${where} is gone: it is not read any more` };
  const message = `${where} is new${required ? ' and required' : ''}`;
  if (!required) return { verdict: 'safe', what: 'added', message };
  return {
    verdict: 'breaking',
    what: 'added',
    message,
    advice: 'Make it optional, or add a new operation that takes it.',
  };
};

const header: Rule = (difference) => {
  const { action, before, after, fact } = difference;
  const name = `header ${subject(difference)}`;
  // That of a part of a form is sent.
  if (fact.direction === 'request' && fact.rule === 'header') {
    const required = action === 'add' && isTree(after) && after['required'] === true;
    const message = `${name} is ${action === 'add' ? `new${required ? ' and required' : ''}` : 'gone'}`;
    const verdict = required ? 'breaking' : action === 'add' ? 'safe' : 'risky';
    return { verdict, what: action === 'add' ? 'added' : 'removed', message };
  }
  if (action === 'add') return { verdict: 'safe', what: 'added', message: `${name} is new` };
  const promised = isTree(before) && before['required'] === true;
  const advice = 'Go on sending it beside what takes its place.';
  return { verdict: promised ? 'breaking' : 'risky', what: 'removed', message: `${name} is gone`, advice };
};

const scheme = presence('security scheme', 'breaking', 'Keep the scheme until its clients have moved to another one.');
const server = presence('server', 'breaking', 'Keep the old address answering, and list both.');
const mediaAdvice = 'Keep it beside the new one: clients ask for it by name.';

/** A schema's name is the name of a type in each generated client, of one that is used. */
const schemaName: Rule = ({ action, fact: { name, rule } }) => {
  if (action === 'replace') return undefined;
  if (action === 'add') return { verdict: 'safe', what: 'added', message: `schema ${name} is new` };
  if (rule === 'unusedSchema')
    return { verdict: 'safe', what: 'removed', message: `schema ${name} is gone, which nothing used` };
  const message = `schema ${name} is gone: generated clients lose the type of that name`;
  return { verdict: 'risky', what: 'removed', message };
};

const counted: Rule = ({ after, fact: { where } }) => {
  const message = `${where} is ${after === true ? 'counted' : 'not counted'} by the rate limit now`;
  return { verdict: after === true ? 'risky' : 'safe', what: after === true ? 'on' : 'off', message };
};

/** How a parameter is written. Where nothing is said of it, as is usual in its place (OpenAPI 3.1, 4.8.12.2). */
const writing =
  (keyword: string): Rule =>
  (difference) => {
    const { before = 'the usual', after = 'the usual' } = difference;
    const advice = 'Add a parameter of another name, and deprecate this one.';
    return { verdict: 'breaking', what: 'changed', message: told({ ...difference, before, after }, keyword), advice };
  };

/** The media type that a parameter is written in, in the place of a style. */
const content: Rule = (difference) => {
  const { before = 'none, by its style', after = 'none, by its style' } = difference;
  return writing('media type')({ ...difference, before, after });
};

/** What else a parameter may be written as. */
const allowing =
  (keyword: string): Rule =>
  (difference) =>
    difference.action === 'add'
      ? { verdict: 'safe', what: 'added', message: told(difference, keyword) }
      : { verdict: 'breaking', what: 'removed', message: told(difference, keyword), advice: 'Go on accepting it.' };

/** The media types that a part of a form may be in. */
const partMedia: Rule = (difference) => {
  const listed = (value: Value) => String(value).split(', ');
  const within = (some: Value, all: Value) => listed(some).every((one) => covering(one, listed(all)) !== undefined);
  const { before, after } = difference;
  const effect = within(before, after) ? 'wider' : within(after, before) ? 'narrower' : 'other';
  return { ...judge(difference, effect), what: 'changed', message: told(difference, 'media type') };
};

/** A value that is told and hurts nobody by itself. */
const renamed =
  (sentence: string): Rule =>
  ({ action, before, after, fact: { where } }) =>
    action === 'replace'
      ? { verdict: 'safe', what: 'renamed', message: `${sentence.replace('%', where)}: \`${before}\` → \`${after}\`` }
      : undefined;

const hint: Rule = (difference) => ({
  verdict: 'safe',
  what: 'changed',
  message: told(difference, 'the form of its token, a hint,'),
});

/** What this repository calls a break is a decision that a reviewer sees. */
const severity: Rule = ({ action, before, after, fact: { name } }) => ({
  verdict: 'risky',
  what: { add: 'added', remove: 'removed', replace: 'changed' }[action],
  message: `severity of \`${name}\`: ${before ?? 'as it comes'} → ${after ?? 'as it comes'}`,
});

const sent = (kind: string) => presence(kind, 'breaking', 'Go on sending it until those who take it have moved.');

const link: Rule = (difference) => {
  const { action } = difference;
  const what = { add: 'added', remove: 'removed', replace: 'changed' }[action];
  const message = `link ${subject(difference)} is ${{ add: 'new', remove: 'gone', replace: 'another one' }[action]}`;
  return { verdict: action === 'add' ? 'safe' : 'risky', what, message };
};

/** The rules for an OpenAPI form. */
export const REST_RULES: Record<string, Rule> = {
  ...SCHEMA_RULES,
  ...PERMISSION_RULES,
  ...SECURITY_RULES,
  operation,
  operationId,
  address: changed(
    'breaking',
    'address of %',
    'Keep the old address beside the new one, deprecated, under its operationId.',
  ),
  tag: changed('risky', 'tag of %, by which generated clients group'),
  counted,
  deprecated,
  status,
  parameter,
  body,
  header,
  scheme,
  server,
  schemaName,
  part: () => undefined,
  partMedia,
  media: presence('media type', 'breaking', mediaAdvice),
  schemeDefinition: changed('breaking', 'security scheme', 'Add a scheme of another name, and keep this one.'),
  content,
  style: writing('style'),
  explode: writing('explode'),
  allowReserved: allowing('allowReserved'),
  allowEmptyValue: allowing('allowEmptyValue'),
  unusedSchema: schemaName,
  parameterName: renamed('one of %, known by its place, has another name'),
  schemeName: renamed('the name of a security scheme'),
  hint,
  severity,
  webhook: sent('webhook'),
  callback: sent('callback'),
  link,
  flow: presence('flow', 'breaking', 'Keep the flow until its clients have moved to another one.'),
  flowUrl: changed('breaking', 'an address of security scheme', 'Keep the old address answering.'),
  scope: presence('scope', 'breaking', 'Go on issuing it: clients ask for it by name.'),
  serverVariable: presence('server variable', 'breaking', 'Keep the variable, with a default.'),
  serverValue,
  serverAny,
  serverDefault: changed('risky', 'default of a server variable', 'Clients that choose no address call the default.'),
};
