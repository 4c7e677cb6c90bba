import type { Verdict } from './change.js';
import { ruleName } from './rule-names.js';
import { SCHEMA_RULES } from './schema-rules.js';

/** A rule, or those whose names a `*` stands for; its verdicts worst first, and what they depend on. */
export interface RuleRow {
  name: string;
  verdicts: Verdict[];
  why: string;
}

const row = (name: string, verdicts: string, why: string): RuleRow => ({
  name,
  verdicts: verdicts.split(' ') as Verdict[],
  why,
});

/** All rules with their verdicts. What was shown to allow no less, or to answer nothing new, is safe whatever stands here. */
export const RULE_TABLE: RuleRow[] = [
  row('operation-removed', 'breaking', 'Who calls it gets 404. Safe after its sunset.'),
  row('operation-added', 'safe', 'Nobody calls it yet.'),
  row('operation-id-changed', 'breaking', 'It is a method of every generated client.'),
  row('operation-id-removed', 'breaking', 'It is a method of every generated client.'),
  row('operation-id-added', 'safe', 'Clients get a name for it.'),
  row('address-changed', 'breaking', 'Who calls the old address gets 404 or 405.'),
  row('tag-*', 'risky', 'Generated clients group by it.'),
  row('deprecated-*', 'safe', 'It works as before.'),
  row('sunset-sooner', 'risky', 'Clients have planned for the date.'),
  row('sunset-later', 'safe', 'Clients have more time.'),
  row('counted-on', 'risky', 'Clients may meet 429.'),
  row('counted-off', 'safe', 'Nobody is refused for it.'),
  row('permission-narrowed', 'breaking', 'A role loses what it could do.'),
  row('permission-*', 'risky', 'A role gains: for the security review.'),
  row('further-permission-narrowed', 'breaking', 'A role loses what it could do.'),
  row('further-permission-*', 'risky safe', 'A role gains: for the security review.'),
  row('security-removed', 'breaking risky', 'Who proves it so is refused; risky where nobody need prove anything.'),
  row('security-added', 'risky safe', 'Risky where anyone may call it now.'),
  row('scopes-raised', 'breaking', 'Tokens with the old scopes are refused.'),
  row('scopes-lowered', 'safe', 'Tokens with the old scopes do.'),
  row('scheme-removed', 'breaking', 'Who proves it so is refused.'),
  row('scheme-definition-changed', 'breaking', 'Who proves it in the old way is refused.'),
  row('scheme-*', 'safe', 'One way more; or the same under another name.'),
  row('flow-removed', 'breaking', 'Clients get no token by it.'),
  row('flow-url-*', 'breaking', 'Clients ask for tokens at the old address.'),
  row('scope-removed', 'breaking', 'Clients ask for it by name.'),
  row('flow-added', 'safe', 'One way more to a token.'),
  row('scope-added', 'safe', 'Nobody asks for it yet.'),
  row('hint-*', 'safe', 'What a token looks like inside is no promise.'),
  row('server-removed', 'breaking', 'Clients call the old address.'),
  row('server-default-*', 'risky', 'Clients that choose no address call the default.'),
  row('server-variable-removed', 'breaking', 'Clients fill it in.'),
  row('server-any-removed', 'breaking', 'Clients call addresses of other values.'),
  row('server-value-removed', 'breaking', 'Clients call that address.'),
  row('server-*', 'safe', 'One address more.'),
  row('parameter-added', 'breaking safe', 'Breaking when it is required.'),
  row('parameter-removed', 'breaking risky', 'Risky where it is not heard any more, breaking where it is refused.'),
  row('parameter-name-renamed', 'safe', 'A path parameter is its place.'),
  row('content-*', 'breaking', 'How a value is written.'),
  row('style-*', 'breaking', 'How a value is written.'),
  row('explode-*', 'breaking', 'How a value is written.'),
  row('allow-*', 'breaking safe', 'Breaking where it may not be written so any more.'),
  row('body-added', 'breaking safe', 'Breaking when it is required.'),
  row('body-removed', 'breaking risky', 'What was sent is not read; what was received comes no more.'),
  row('media-removed', 'breaking', 'Clients ask for it by name.'),
  row('media-added', 'safe', 'Clients that do not ask do not get it.'),
  row('part-media-changed', 'breaking risky safe', 'Breaking where less is taken in a part of a form.'),
  row('status-added', 'risky safe', 'Risky for a success, which clients list.'),
  row('status-removed', 'breaking safe', 'Breaking for a success.'),
  row('header-added', 'breaking safe', 'Nobody reads it yet; breaking where a part of a form must have it.'),
  row('header-removed', 'breaking risky', 'Breaking where it was promised.'),
  row('link-added', 'safe', 'Nobody follows it yet.'),
  row('link-*', 'risky', 'Who follows it ends elsewhere.'),
  row('webhook-removed', 'breaking', 'Who takes it waits for nothing.'),
  row('webhook-added', 'safe', 'Nobody takes it yet.'),
  row('callback-removed', 'breaking', 'Who takes it waits for nothing.'),
  row('callback-added', 'safe', 'Nobody takes it yet.'),
  row('schema-name-removed', 'risky', 'Generated clients lose the type of that name.'),
  row('schema-name-added', 'safe', 'Generated clients get a type more.'),
  row('unused-schema-*', 'safe', 'No operation used it.'),
  row('request-value-removed', 'breaking', 'Who sends the value is refused.'),
  row(
    'response-value-added',
    'breaking risky',
    'Code that lists all values meets one more; breaking where none of those it knows is left.',
  ),
  row('response-alternative-added', 'risky', 'Code that lists all alternatives meets one more.'),
  row('request-alternative-removed', 'breaking', 'Who sends it is refused.'),
  row('*-extensible-value-removed', 'breaking safe', 'Who sends the value is refused.'),
  row('*-extensible-value-added', 'safe', 'Clients know that the list is open.'),
  row('request-default-added', 'safe', 'Who sends nothing did without.'),
  row('request-default-*', 'risky', 'Who sends nothing gets another value.'),
  row('response-default-*', 'safe', 'In an answer it is a note.'),
  row('request-required', 'breaking', 'Who leaves it out is refused.'),
  row('request-required-optional', 'safe', 'It may be left out.'),
  row('response-required', 'safe', 'It is always there.'),
  row('response-required-optional', 'breaking', 'Code that reads it meets nothing.'),
  row('request-member-added', 'breaking safe', 'Breaking when it is required.'),
  row(
    'request-member-removed',
    'breaking risky',
    'Risky where it is not heard any more, breaking where it is refused.',
  ),
  row('response-member-added', 'risky safe', 'Risky in an object that said it was closed.'),
  row('response-member-removed', 'breaking', 'Code that reads it meets nothing.'),
  row('response-type-*', 'breaking', 'Code meets a value that it cannot read.'),
  row('response-format-removed', 'risky', 'Code may meet a value that it cannot read.'),
  row('response-format-changed', 'breaking', 'Code meets a value that it cannot read.'),
  row('*-discriminator-added', 'risky safe', 'What alternatives are told apart by.'),
  row('*-discriminator-*', 'breaking', 'What alternatives are told apart by.'),
  row('*-mapping-*', 'breaking risky safe', 'What alternatives are told apart by.'),
  row('request-*', 'breaking safe', 'Breaking where less is allowed to be sent than was.'),
  row(
    'response-*',
    'breaking risky safe',
    'Risky where more may be answered than could be, breaking where it is of another kind.',
  ),
  row('extension-unjudged', 'safe', 'An `x-` member speaks to those who know it.'),
  row('unjudged', 'risky', 'It changed, and no rule here knows what it does.'),
  row('severity-*', 'risky', 'A line of x-severity: the next diff judges by it.'),
  row(
    'graphql-enum-value-added',
    'risky safe',
    'Code that lists all values meets one more; safe where it is only sent.',
  ),
  row('graphql-enum-value-removed', 'breaking safe', 'Who sends the value is refused; safe where it is only got.'),
  row('graphql-union-member-added', 'risky', 'Fragments meet a type that they do not know.'),
  row('graphql-object-type-interface-added', 'risky', 'Fragments meet a type that they do not know.'),
  row('graphql-type-added', 'risky safe', 'Fragments on an interface meet it; safe where there is none to ask for.'),
  row('graphql-*-default-*', 'breaking risky safe', 'Who sends nothing gets another value.'),
  row('graphql-usage-*', 'breaking risky safe', 'A directive that somebody else reads; breaking for @oneOf.'),
  row('graphql-unjudged', 'risky', 'It changed, and no rule here knows what it does.'),
  row('graphql-further-permission-*', 'breaking risky safe', 'A role loses, or gains: for the security review.'),
  row('graphql-permission-*', 'breaking risky', 'A role loses, or gains: for the security review.'),
  row('graphql-request-*', 'breaking safe', 'Breaking where @constraint allows less than it did.'),
  row(
    'graphql-*-removed',
    'breaking safe',
    'Queries that name it are refused. Safe after the date of its @deprecated.',
  ),
  row(
    'graphql-*-changed',
    'breaking risky safe',
    'Breaking where queries are refused, or answers are of another kind.',
  ),
  row('graphql-*-added', 'breaking safe', 'Breaking where it must be given.'),
  row('database-migration-missing', 'breaking', 'The database stays as it was.'),
  row('database-*', 'breaking risky safe', 'Judged for the rows that are there, and for instances that still run.'),
];

const pattern = (name: string) => new RegExp(`^${name.replaceAll('*', '[a-z0-9-]+')}$`);

/** The row that a rule stands in: the first that its name fits. */
export const rowOf = (name: string): RuleRow | undefined => RULE_TABLE.find((one) => pattern(one.name).test(name));

/** Whether a line for `name` is for rules of this row: for all of them, or for some. */
export const concerns = (name: string, { name: row }: RuleRow): boolean =>
  name === row || isFor(name, row) || rowOf(name)?.name === row;

/** Whether a line for `name`, which may hold `*`, is for this rule. */
export const isFor = (name: string, rule: string): boolean => pattern(name).test(rule);

/** What the rules for schemas are called, without what happened: `request-max-length`. */
const OF_SCHEMAS = Object.keys(SCHEMA_RULES).flatMap((rule) =>
  (['request', 'response'] as const).map((direction) => ruleName({ rule, direction }, rule)),
);
const HAPPENED = /-(?:added|removed|changed|raised|lowered|opened|closed|nullable|not-null|optional)$/;

/** Whether any rule is called so: by the name of a row, or by one that fits it. */
export const isRule = (name: string): boolean => {
  if (RULE_TABLE.some((one) => one.name === name)) return true;
  const catchAll = /^re(?:quest|sponse)-\*$/.test(rowOf(name)?.name ?? '');
  return (
    !name.includes('*') && (catchAll ? OF_SCHEMAS.includes(name.replace(HAPPENED, '')) : rowOf(name) !== undefined)
  );
};
