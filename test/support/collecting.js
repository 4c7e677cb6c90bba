// For a service whose memory is looked at, started with `--expose-gc`: at a signal it says how many bytes it holds, once all has
// been collected that nothing holds.
process.on('SIGWINCH', () => {
  globalThis.gc?.();
  console.error(`held ${process.memoryUsage().heapUsed}`);
});
