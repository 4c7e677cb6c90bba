import type { Model } from 'accord';

// What leaves a tombstone, beside the accounts.

export const ORDER: Model = { kind: 'ORDER', noun: 'order' };
export const POST: Model = { kind: 'POST', noun: 'post' };
export const COMMENT: Model = { kind: 'COMMENT', noun: 'comment' };
export const MESSAGE: Model = { kind: 'MESSAGE', noun: 'message' };
