/**
 * Returns a clock that advances by a millisecond per call, so that no test depends on the speed of the machine. `() =>
 * time() + offset` moves it.
 */
export function slowClock(): () => number {
  let time = Date.now();
  return () => time++;
}
