/** Returns an object that computes each property when it is first read, and caches the value or the error. */
export function lazy<Type extends object>(compute: { [Key in keyof Type]: () => Type[Key] }): Type {
  const object = {};
  const define = (key: string, descriptor: PropertyDescriptor) =>
    Object.defineProperty(object, key, { configurable: true, enumerable: true, ...descriptor });
  for (const [key, computeMember] of Object.entries(compute) as [string, () => unknown][]) {
    const get = () => {
      try {
        const value = computeMember();
        define(key, { value });
        return value;
      } catch (error) {
        const fail = () => {
          throw error;
        };
        define(key, { get: fail });
        return fail();
      }
    };
    define(key, { get });
  }
  return object as Type;
}
