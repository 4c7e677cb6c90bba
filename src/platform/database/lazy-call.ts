/** A call that runs when it is awaited, as Prisma's promises do. */
export class LazyCall implements Promise<unknown> {
  readonly [Symbol.toStringTag] = 'PrismaPromise';
  readonly #begin: () => Promise<unknown>;
  #running: Promise<unknown> | undefined;

  constructor(begin: () => Promise<unknown>) {
    this.#begin = begin;
  }

  #run(): Promise<unknown> {
    this.#running ??= this.#begin();
    return this.#running;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a call runs it
  then<A = unknown, B = never>(
    onFulfilled?: ((value: unknown) => A | PromiseLike<A>) | null,
    onRejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#run().then(onFulfilled, onRejected);
  }

  catch<B>(onRejected?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<unknown> {
    return this.#run().catch(onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<unknown> {
    return this.#run().finally(onFinally);
  }
}
