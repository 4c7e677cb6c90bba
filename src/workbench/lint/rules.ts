import { Linter } from 'eslint';
import regexpPlugin from 'eslint-plugin-regexp';
import { PAGE_SIZE, PAGE_START } from '../model/names.js';

/** A node of either contract, as the linters pass it to a rule. */
// biome-ignore lint/suspicious/noExplicitAny: the selector or `struct` has checked the shape, and extensions have no type.
export type AnyNode = any;

/** The rules of `accord lint`, each with the reason for it. Rules of one name check the same in both contracts. */
export const REASONS = {
  'operation-id-camel-case': 'A run of capitals comes out as get_h_t_t_p in SDKs that split words at capitals.',
  'operation-id-verb': 'An SDK method without a verb does not say what a call does.',
  'path-verb': 'A path names a thing, and methods say what is done to it.',
  'request-body-meaningless':
    'Clients, proxies and servers drop the body of a GET, each in its own way; browsers refuse to send it.',
  'response-content-impossible':
    'HTTP ends such a response after its headers, so a client that waits for the declared content gets nothing.',
  'failure-declared': 'No request is always right, and a client that knows of no failure handles none.',
  'error-body': 'Without a body a client cannot distinguish the reasons for one status, and shows its user nothing.',
  'list-paging': 'A list without paging grows until it causes an outage, and adding paging later breaks clients.',
  'list-maximum': 'Without a maximum page size, one request may ask for everything.',
  'pattern-sound':
    'The service does not start with an invalid pattern, and a pattern of quadratic time lets one request stop it.',
  'bounds-contradict': 'No request satisfies such bounds, and nobody notices before the first one is refused.',
  'example-refused':
    "Examples are copied and defaults are sent, so their schema must accept them. Redocly's no-invalid-*-examples check the other examples.",
  'deprecation-complete': 'Clients need to know when a deprecated member goes, and what to use instead.',
  'unused-component': 'An unused component is still generated into every client, and read by every reviewer.',
  'unused-tag': 'A tag is a chapter of the documentation and a group of each SDK, and this one is empty.',
  'member-description':
    'Clients read the contract without the code, so every parameter, header, schema and property needs a description.',
  'extension-shape': 'The platform ignores an extension of another form, or at a place where it reads none.',
} as const satisfies Record<string, string>;

/** The rules that are warnings. All others are errors. */
export const WARNINGS: readonly string[] = ['path-verb'];

export type RuleName = keyof typeof REASONS;

/** Returns true if parameters or arguments of these names page a list. */
export const isPaged = (names: readonly string[]): boolean =>
  names.some((name) => PAGE_SIZE.test(name)) && names.some((name) => PAGE_START.test(name));

const VERBS = new Set(
  `accept acknowledge activate add apply approve archive assign attach authenticate authorize begin block book borrow build
  calculate cancel capture change check claim clear clone close collect commit compare complete compute configure confirm
  connect convert copy count create deactivate decline delete deliver deny deploy describe detach detect disable disconnect
  dismiss download duplicate edit enable end enroll enter estimate evaluate exchange execute exit expire export extend
  extract fetch filter find finish follow forget fork generate get give grant handle head hide identify import include
  increment initialize initiate insert inspect install invalidate invite invoke issue join keep kick launch leave lend like link
  list load lock login logout lookup make mark match measure merge migrate modify monitor move mute notify offer open order
  parse patch pause pay perform pin ping place play poll post preview print process promote provision publish purchase purge
  push put query read rebuild receive record redeem redirect refresh refund refuse register reindex reissue reject release
  reload remind remove rename render renew reopen reorder repeat replace reply report request require reschedule resend
  reserve reset resize resolve restart restore resume retire retrieve retry return reverse revert review revoke rotate run
  save schedule search select send set settle share show sign simulate sort split start stop store stream submit subscribe
  suggest suspend swap switch sync synchronize tag terminate test toggle track transfer transform translate trigger
  unarchive unassign unblock undo unfollow uninstall unlike unlink unlock unmute unpin unpublish unregister unsubscribe
  untag update upgrade upload upsert use validate verify view void vote watch withdraw write`.split(/\s+/),
);

/** Returns true if the first word of a name in camel case is a verb. */
export const startsWithVerb = (name: string): boolean =>
  VERBS.has(/^[A-Z]?[a-z\d]+/.exec(name)?.[0].toLowerCase() ?? '');

const linter = new Linter();
const SOUND: Linter.Config = {
  linterOptions: { noInlineConfig: true },
  plugins: { regexp: regexpPlugin },
  rules: {
    'no-invalid-regexp': 'error',
    'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
    'regexp/no-super-linear-move': ['error', { report: 'potential' }],
  },
};

/** Returns what is wrong with the regular expression of a pattern (ECMA-262, flag u), or undefined. */
export function patternFault(pattern: string): string | undefined {
  const [fault] = linter.verify(`new RegExp(${JSON.stringify(pattern)}, 'u');`, SOUND);
  if (fault === undefined || fault.ruleId === 'no-invalid-regexp') return fault?.message;
  return `The time to match ${JSON.stringify(pattern)} may grow with the square of a text, or worse: make it unambiguous where each repetition ends.`;
}

/** Keywords that are a lower and an upper bound of the same thing. */
const BOUNDS = [
  ['minimum', 'maximum'],
  ['minimum', 'exclusiveMaximum'],
  ['exclusiveMinimum', 'maximum'],
  ['exclusiveMinimum', 'exclusiveMaximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minContains', 'maxContains'],
  ['minProperties', 'maxProperties'],
] as const;

/** Returns the first lower bound of a schema that exceeds its upper bound, with a message; or undefined. */
export function contradictionIn(schema: object): { keyword: string; message: string } | undefined {
  const values = schema as Record<string, unknown>;
  for (const [keyword, other] of BOUNDS) {
    const [least, most] = [values[keyword], values[other]];
    // In OpenAPI 3.0 the exclusive bounds are booleans.
    if (typeof least !== 'number' || typeof most !== 'number') continue;
    const isEmpty = `${keyword}${other}`.includes('exclusive') ? least >= most : least > most;
    if (isEmpty) return { keyword, message: `No value satisfies both ${keyword} ${least} and ${other} ${most}.` };
  }
  return undefined;
}
