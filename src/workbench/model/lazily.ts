/** What `make` gives, made when it is first asked for and never again; what it throws is thrown each time. */
export function lazily<Made>(make: () => Made): () => Made {
  let known: (() => Made) | undefined;
  return () => {
    if (known === undefined) {
      try {
        const made = make();
        known = () => made;
      } catch (error) {
        known = () => {
          throw error;
        };
      }
    }
    return known();
  };
}
