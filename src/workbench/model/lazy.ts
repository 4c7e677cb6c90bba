/** Returns an object that computes each property when it is first read, and caches the value or the error. */
export function lazy<Type extends object>(compute: { [Key in keyof Type]: () => Type[Key] }): Type {
  const object = {} as Type;
  const define = (key: string, get: () => unknown) =>
    Object.defineProperty(object, key, { configurable: true, enumerable: true, get });
  for (const [key, computeMember] of Object.entries(compute) as [string, () => unknown][])
    define(key, () => {
      try {
        const value = computeMember();
        define(key, () => value);
      } catch (error) {
        define(key, () => {
          throw error;
        });
      }
      return object[key as keyof Type];
    });
  return object;
}
