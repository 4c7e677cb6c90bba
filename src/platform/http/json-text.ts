import { type Issues, issueList } from '../calls/issues.js';
import { pointerTo } from '../calls/text.js';

/** Levels of arrays and objects; no body of either contract comes near. Whatever walks a body by recursion relies on it. */
export const MAX_DEPTH = 100;

/** Strings, punctuation and numbers of a text that is known to be JSON. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]|-?\d[\d.eE+-]*/g;

const INTEGER = /^-?\d+$/;
/** Digits of an integer that is kept as it is, whichever they are. */
const SAFE_DIGITS = 15;

/** Whether an integer would be read as another one; a program that writes it as JavaScript does means what is read. */
const isAnother = (token: string): boolean =>
  BigInt(Number(token)) !== BigInt(token) && String(Number(token)) !== token;

interface Frame {
  /** The members seen so far; undefined in an array. */
  members: Set<string> | undefined;
  /** Where we are: the name of the member, or the index. */
  at: string | number;
  expectsName: boolean;
}

/**
 * What is wrong with a JSON text that `JSON.parse` takes without a word: a member given twice (of which it keeps the last),
 * a number beyond the range (which becomes Infinity) or an integer that becomes another one, nesting without end, and names that reach for a prototype
 * (RFC 8259 §4, §6 and §9 leave all of this to the reader). By JSON pointer.
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
