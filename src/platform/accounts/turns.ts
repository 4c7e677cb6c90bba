/**
 * Runs what has the same key one after another in this process, so that those who wait for one lock do not each hold a
 * connection to the database meanwhile. The lock is still what decides between instances.
 */
export function turns() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}
