import { type Issues, issueList } from '../calls/issues.js';
import { pointerTo } from '../calls/text.js';

/** Levels of arrays and objects. Recursive functions over a body rely on the limit. */
export const MAX_DEPTH = 100;

/** Strings, punctuation and numbers of a text that is known to be JSON. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]|-?\d[\d.eE+-]*/g;

const INTEGER = /^-?\d+$/;
/** Digits of an integer that a number always keeps. */
const SAFE_DIGITS = 15;

/** Returns true if an integer is rounded, unless JavaScript itself writes it like that. */
const isAnother = (token: string): boolean =>
  BigInt(Number(token)) !== BigInt(token) && String(Number(token)) !== token;

interface Frame {
  /** The members seen so far; undefined in an array. */
  members: Set<string> | undefined;
  /** The name of the current member, or the index. */
  at: string | number;
  expectsName: boolean;
}

/**
 * Returns what `JSON.parse` accepts silently, by JSON pointer: duplicate members, numbers beyond the range, integers that are rounded,
 * deep nesting, and names that reach a prototype (RFC 8259 §4, §6 and §9 leave them to the implementation).
 * @param text must be valid JSON
 */
export function hiddenFaults(text: string): Issues {
  const { add, found } = issueList();
  const stack: Frame[] = [];
  const tell = (detail: string) => add(() => ({ pointer: pointerOf(stack), detail }));

  for (const [token] of text.matchAll(TOKEN)) {
    const top = stack.at(-1);
    if (token === '{' || token === '[') {
      if (stack.length === MAX_DEPTH) {
        tell(`is nested deeper than ${MAX_DEPTH} levels`);
        return found();
      }
      const isObject = token === '{';
      stack.push({ members: isObject ? new Set() : undefined, at: isObject ? '' : 0, expectsName: isObject });
    } else if (token === '}' || token === ']') {
      stack.pop();
    } else if (token === ',') {
      if (top?.members) top.expectsName = true;
      else if (top) top.at = Number(top.at) + 1;
    } else if (token.startsWith('"')) {
      if (top?.members && top.expectsName) enter(top, top.members, token, stack, tell);
    } else if (!Number.isFinite(Number(token))) {
      tell('is too large for a number');
    } else if (token.length > SAFE_DIGITS && INTEGER.test(token) && isAnother(token)) {
      tell('has more digits than are kept');
    }
  }
  return found();
}

function enter(top: Frame, members: Set<string>, token: string, stack: Frame[], tell: (detail: string) => void): void {
  const name = JSON.parse(token) as string;
  top.at = name;
  top.expectsName = false;
  if (members.has(name)) tell('is given twice');
  members.add(name);
  const isPrototype = name === '__proto__' || (name === 'prototype' && stack.at(-2)?.at === 'constructor');
  if (isPrototype) tell('is not a name that a member can have');
}

const pointerOf = (stack: Frame[]): string => stack.map(({ at }) => pointerTo(at)).join('');
