/** Returns true for a text that comes for the second time. Remembers at most `limit` texts. */
export function seenBefore(limit: number): (text: string) => boolean {
  const seen = new Set<string>();
  return (text) => {
    if (seen.delete(text)) return true;
    const oldest = seen.size >= limit ? seen.values().next().value : undefined;
    if (oldest !== undefined) seen.delete(oldest);
    seen.add(text);
    return false;
  };
}
