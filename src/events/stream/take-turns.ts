/** A semaphore: runs a limited number of tasks in parallel; others wait in order of arrival. */
export function takeTurns(places: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < places) running += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      // The permit passes to the next waiting task.
      if (next === undefined) running -= 1
      else next()
    }
  }
}
