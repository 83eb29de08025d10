interface LockManager {
  request<T>(name: string, work: () => Promise<T>): Promise<T>
}

/** Runs work while no other tab of the same origin does, if the platform has the Web Locks API. */
export function whenAlone<T>(name: string | undefined, work: () => Promise<T>): Promise<T> {
  const { locks } = (globalThis as { navigator?: { locks?: LockManager } }).navigator ?? {}
  return name === undefined || locks === undefined ? work() : locks.request(name, work)
}
