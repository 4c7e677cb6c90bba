/**
 * A stream for graphql-ws that carries nothing but the life of a subscription: the frames are sent past it. It ends when the
 * client completes the subscription or goes, and fails when the subscription could not begin.
 */
export function lifetime({
  joined,
  leave,
}: {
  joined: Promise<void>;
  leave: () => void;
}): AsyncIterableIterator<never, void> {
  let finish = (): void => {};
  const ended = new Promise<void>((resolve, reject) => {
    finish = resolve;
    joined.catch(reject);
  });
  ended.catch(() => {}); // told by `next`, where anybody still asks
  const end = async (): Promise<IteratorResult<never, void>> => {
    leave();
    finish();
    return { done: true, value: undefined };
  };
  return {
    next: () => ended.then(end, (error: unknown) => end().then(() => Promise.reject(error))),
    return: end,
    throw: end,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
