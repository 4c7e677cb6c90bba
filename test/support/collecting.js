// On SIGWINCH, prints the size of the heap after a garbage collection. Needs `--expose-gc`.
process.on('SIGWINCH', () => {
  globalThis.gc?.();
  console.error(`held ${process.memoryUsage().heapUsed}`);
});
