declare module 'fs-native-extensions' {
  /** An exclusive lock on the whole file, held until the descriptor is closed; false when another descriptor has it. */
  export function tryLock(fd: number): boolean;
}
