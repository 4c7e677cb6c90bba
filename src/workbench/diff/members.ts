import { type Version, versionAt } from '../model/openapi-node.js';
import { keywordOf, type Pair, subjectOf } from './pair.js';
import type { Recorder } from './recorder.js';

/** Reports an added or removed property. A closed object rejects unknown properties. */
export function reportMember(record: Recorder, pair: Pair, isRequired: boolean, isClosed: boolean): void {
  const isResponse = pair.label.direction === 'response';
  const removed = isResponse || isClosed ? 'breaking' : 'risky';
  const added = isResponse ? (isClosed ? 'risky' : 'safe') : isRequired ? 'breaking' : 'safe';
  const note = { breaking: ' and required', risky: ', in an object without other properties', safe: '' }[added];
  const gone = isResponse ? '' : isClosed ? ': requests with it are rejected' : ': the service ignores it';
  record.presence(pair, 'member', '', removed, added, pair.old ? gone : note);
}

export function reportRequired(record: Recorder, pair: Pair, isRequired: boolean): void {
  const what = isRequired ? 'required' : 'optional';
  const isBreak = (pair.label.direction === 'request') === isRequired;
  record.report(pair, 'required', isBreak ? 'breaking' : 'safe', what, `${subjectOf(pair)} is ${what} now`);
}

/** Compares the sunsets of two deprecated versions. */
export function compareSunsets(
  record: Recorder,
  pair: Pair,
  before: Version | undefined,
  after: Version | undefined,
): void {
  const dateOf = (version: Version | undefined) =>
    versionAt(version, 'x-deprecation', 'sunset') ?? versionAt(version, 'x-sunset');
  const [old, now] = [dateOf(before), dateOf(after)];
  if (old === undefined || now === undefined) return;
  const isLater = Date.parse(String(now.value)) >= Date.parse(String(old.value));
  const one = { ...keywordOf(pair, 'sunset'), old, now };
  record.changed(
    one,
    'sunset',
    isLater ? 'safe' : 'risky',
    `sunset of ${subjectOf(pair)}`,
    isLater ? 'later' : 'sooner',
  );
}
