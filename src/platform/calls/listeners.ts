export function listeners<T>() {
  const all = new Set<(news: T) => void>();
  return {
    emit(news: T): void {
      for (const listener of all) listener(news);
    },
    /** Returns a function that removes the listener. */
    add(listener: (news: T) => void): () => void {
      all.add(listener);
      return () => all.delete(listener);
    },
  };
}
