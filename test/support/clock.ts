/**
 * A clock that stands still but for a millisecond at each look: what a case expects in time does not depend on how long the
 * machine takes over it, and what comes later is later. `() => time() + moved` is one that can be moved.
 */
export function slowClock(): () => number {
  let time = Date.now();
  return () => time++;
}
