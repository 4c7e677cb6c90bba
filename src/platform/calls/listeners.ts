/** Those who want to be told of something, for as long as they want to. */
export function listeners<T>() {
  const all = new Set<(news: T) => void>();
  return {
    tell(news: T): void {
      for (const listener of all) listener(news);
    },
    /** @returns ends the telling */
    add(listener: (news: T) => void): () => void {
      all.add(listener);
      return () => all.delete(listener);
    },
  };
}
