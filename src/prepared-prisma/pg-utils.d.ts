declare module 'pg/lib/utils.js' {
  /** Returns a value as `pg` binds it: text, bytes or null. */
  export function prepareValue(value: unknown): string | Buffer | null;
}
