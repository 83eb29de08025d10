/** Tells editors that still run from those that have ended. The browser releases the lock of a tab that is gone. */
export interface TabLocks {
  /** Takes a lock if it becomes free in the given time, and holds it until `release`. */
  take(name: string, waitMs: number): Promise<boolean>
  release(): void
}

/** Without `navigator.locks`, as on pages without HTTPS, each lock counts as free. */
export function createTabLocks(locks: LockManager | undefined = globalThis.navigator?.locks): TabLocks {
  let releaseAll: () => void = () => undefined
  let released = new Promise<void>((resolve) => {
    releaseAll = resolve
  })
  return {
    take: (name, waitMs) =>
      new Promise<boolean>((resolve) => {
        if (locks === undefined) return resolve(true)
        const signal = AbortSignal.timeout(waitMs)
        const request = locks.request(name, { signal }, () => {
          resolve(true)
          return released
        })
        request.catch(() => resolve(!signal.aborted))
      }),
    release() {
      releaseAll()
      released = new Promise<void>((resolve) => {
        releaseAll = resolve
      })
    },
  }
}
