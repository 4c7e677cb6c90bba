/** Reads JSON as RFC 8259 advises: what `JSON.parse` would change without a word is refused. @module */

import { Failure, type Issues, issueList, pointerTo } from '../calls/errors.js';
import { issueFailure } from './messages.js';

/** Returns the value of a body. @throws Failure BAD_REQUEST */
export function strictJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    // The engine's own message quotes the body, which may contain a password.
    throw new Failure('BAD_REQUEST', `The body is not valid JSON. At ${syntaxError(text)}.`, { cause });
  }
  if (isAsWritten(text, value)) return value;
  const faults = strictJsonIssues(text);
  if (faults.issues.length > 0) throw issueFailure('BAD_REQUEST', faults);
  return value;
}

/**
 * Returns true for a text that `JSON.stringify` would write, which most clients send: no member is given twice, and no number is changed.
 * Deep and unusual texts are read by `strictJsonIssues`.
 */
function isAsWritten(text: string, value: unknown): boolean {
  if (text.includes('proto')) return false;
  let openings = 0;
  for (let at = 0; at < text.length && openings <= MAX_DEPTH; at += 1) {
    const character = text.charCodeAt(at);
    if (character === 0x5b || character === 0x7b) openings += 1;
  }
  return openings <= MAX_DEPTH && JSON.stringify(value) === text;
}

/** Levels of arrays and objects. Recursive functions over bodies rely on it. */
export const MAX_DEPTH = 100;

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]|-?\d[\d.eE+-]*/g;

const INTEGER = /^-?\d+$/;
const SAFE_DIGITS = 15;

/** Returns true if `JSON.parse` changes an integer: the number has another value and other digits. */
const isRounded = (token: string): boolean =>
  BigInt(Number(token)) !== BigInt(token) && String(Number(token)) !== token;

interface Frame {
  members: Set<string> | undefined;
  key: string | number;
  expectsName: boolean;
}

/**
 * Returns mistakes that `JSON.parse` accepts: duplicate members, numbers out of range, rounded integers, deep nesting,
 * and prototype names (RFC 8259 §4, §6 and §9).
 * @param text valid JSON
 */
export function strictJsonIssues(text: string): Issues {
  const { add, found } = issueList();
  const stack: Frame[] = [];
  const report = (detail: string) => add(() => ({ pointer: stack.map(({ key }) => pointerTo(key)).join(''), detail }));

  for (const [token] of text.matchAll(TOKEN)) {
    const top = stack.at(-1);
    if (token === '{' || token === '[') {
      if (stack.length === MAX_DEPTH) {
        report(`is nested deeper than ${MAX_DEPTH} levels. Send a flatter document.`);
        return found();
      }
      const isObject = token === '{';
      stack.push({ members: isObject ? new Set() : undefined, key: isObject ? '' : 0, expectsName: isObject });
    } else if (token === '}' || token === ']') {
      stack.pop();
    } else if (token === ',') {
      if (top?.members) top.expectsName = true;
      else if (top) top.key = Number(top.key) + 1;
    } else if (token.startsWith('"')) {
      if (top?.members && top.expectsName) addMember(top, top.members, token, stack, report);
    } else if (!Number.isFinite(Number(token))) {
      report(`must be within ±${Number.MAX_VALUE}`);
    } else if (token.length > SAFE_DIGITS && INTEGER.test(token) && isRounded(token)) {
      report('has more digits than a number keeps. Send it as a string, or round it.');
    }
  }
  return found();
}

function addMember(
  top: Frame,
  members: Set<string>,
  token: string,
  stack: Frame[],
  report: (detail: string) => void,
): void {
  const name = JSON.parse(token) as string;
  top.key = name;
  top.expectsName = false;
  if (members.has(name)) report('is given more than once. Give it once.');
  members.add(name);
  const isPrototype = name === '__proto__' || (name === 'prototype' && stack.at(-2)?.key === 'constructor');
  if (isPrototype) report('is not a name that a member can have. Rename it.');
}

/** A token and the white space after it. */
const LEXEME =
  /("[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*)*"|[{}[\],:]|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))[ \t\r\n]*/y;
const NAME = 'a member name in double quotes';

/** Returns the tokens that may follow a token; undefined for an unexpected token. @param brackets the open brackets */
function expectedAfter(token: string, expected: string, brackets: string[]): string | undefined {
  const isValue = expected.startsWith('a value');
  if (token === '}' || token === ']') {
    if (!expected.endsWith(token)) return undefined;
    brackets.pop();
  } else if (isValue && (token === '{' || token === '[')) {
    brackets.push(token);
    return token === '{' ? `${NAME} or }` : 'a value or ]';
  } else if (token.startsWith('"') && expected.startsWith(NAME)) return 'a colon';
  else if (token === ':') return expected === 'a colon' ? 'a value' : undefined;
  else if (token === ',') {
    if (!expected.startsWith('a comma')) return undefined;
    return brackets.at(-1) === '{' ? NAME : 'a value';
  } else if (!isValue || token === '{' || token === '[') return undefined;
  if (brackets.length === 0) return 'the end of the text';
  return brackets.at(-1) === '{' ? 'a comma or }' : 'a comma or ]';
}

/**
 * Returns line, column and expectation of the first syntax error (RFC 8259 §2). Quotes nothing, because the text may
 * contain a password.
 */
export function syntaxError(text: string): string {
  const brackets: string[] = [];
  let expected: string = 'a value';
  let position = text.search(/[^ \t\r\n]|$/);
  let token: string | undefined;
  for (;;) {
    LEXEME.lastIndex = position;
    const [whole = '', found] = LEXEME.exec(text) ?? [];
    token = found;
    const next = token === undefined ? undefined : expectedAfter(token, expected, brackets);
    if (next === undefined) break;
    expected = next;
    position += whole.length;
  }
  const lines = text.slice(0, position).split('\n');
  const place = `line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`;
  if (token === undefined && text[position] === '"')
    return `${place}: expected a closed string without unescaped control characters`;
  return `${place}: expected ${expected}${position === text.length ? ', but the text ends' : ''}`;
}
