/** Of things that begin one after the other, which are not over in time. */
interface Deadlines<Thing> {
  begin: (thing: Thing) => void;
  end: (thing: Thing) => void;
}

/**
 * Deadlines of one length, kept by one timer for all: what begins first is due first. A timer for each would cost more than most
 * of what a request does. It does not keep the process alive.
 * @param milliseconds after its beginning, at which a thing is due
 * @param onDue gets each that has not ended by then, once
 */
export function deadlines<Thing>(milliseconds: number, onDue: (thing: Thing) => void): Deadlines<Thing> {
  /** When each is due, in this order. */
  const due = new Map<Thing, number>();
  let timer: NodeJS.Timeout | undefined;

  const wake = (after: number) => {
    timer = setTimeout(look, after).unref();
  };
  function look(): void {
    timer = undefined;
    for (const [thing, at] of due) {
      const left = at - performance.now();
      if (left > 0) {
        wake(left);
        return;
      }
      due.delete(thing);
      onDue(thing);
    }
  }
  return {
    begin(thing) {
      due.set(thing, performance.now() + milliseconds);
      if (timer === undefined) wake(milliseconds);
    },
    end: (thing) => void due.delete(thing),
  };
}
