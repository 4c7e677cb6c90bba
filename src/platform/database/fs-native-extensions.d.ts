declare module 'fs-native-extensions' {
  /** Locks the file until the descriptor is closed. Returns false if another descriptor has the lock. */
  export function tryLock(fd: number): boolean;
}
