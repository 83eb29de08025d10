/** Bounds how many pieces of work run at a time. */
export interface Semaphore {
  /**
   * Waits for a permit, in order of arrival.
   *
   * @returns what gives the permit back; a second call changes nothing
   * @throws {SemaphoreTimeout} when there is none within the time
   */
  acquire(timeoutMs: number): Promise<() => void>
}

export class SemaphoreTimeout extends Error {
  override readonly name = 'SemaphoreTimeout'
}

export function createSemaphore(permits: number): Semaphore {
  let free = permits
  // A set keeps its order, and lets go of one in the middle at no cost.
  const waiting = new Set<() => void>()

  const release = (): (() => void) => {
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      const [next] = waiting
      if (next === undefined) free += 1
      else {
        waiting.delete(next)
        next()
      }
    }
  }

  return {
    acquire: async (timeoutMs) => {
      if (free > 0) {
        free -= 1
        return release()
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      waiting.add(resolve)
      const timer = setTimeout(() => {
        waiting.delete(resolve)
        reject(new SemaphoreTimeout(`no permit within ${timeoutMs} ms`))
      }, timeoutMs)
      try {
        await promise
      } finally {
        clearTimeout(timer)
      }
      return release()
    },
  }
}
