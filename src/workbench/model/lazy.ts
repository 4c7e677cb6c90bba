/** Returns an object whose members are computed when they are first read, and once. An error is kept as a result is. */
export function lazy<Type extends object>(compute: { [Key in keyof Type]: () => Type[Key] }): Type {
  const object = {};
  const keep = (key: string, descriptor: PropertyDescriptor) =>
    Object.defineProperty(object, key, { configurable: true, enumerable: true, ...descriptor });
  for (const [key, computeMember] of Object.entries(compute) as [string, () => unknown][]) {
    const get = () => {
      try {
        const value = computeMember();
        keep(key, { value });
        return value;
      } catch (error) {
        const fail = () => {
          throw error;
        };
        keep(key, { get: fail });
        return fail();
      }
    };
    keep(key, { get });
  }
  return object as Type;
}
