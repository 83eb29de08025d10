import { setTimeout as delay, setImmediate as untilOthersHadTheirTurn } from 'node:timers/promises'
import { createFairSemaphore, type FairSemaphoreOptions } from './semaphore.ts'

export interface FairTurnsOptions extends FairSemaphoreOptions {
  /** The longest turn. Work that takes longer goes on, but no other work waits for it any more. */
  longestMs: number
}

export interface FairTurns {
  /** @param restMs returns how long the pause after the turn is, in which other work has the processor */
  run<Result>(owner: string | undefined, work: () => Promise<Result>, restMs?: () => number): Promise<Result>
}

/**
 * Runs work one piece after another, as `createFairSemaphore` does with one permit, but for a limited time: work may wait
 * for a lock or a connection of its own account, which must not hold up the work of others.
 */
export function createFairTurns({ longestMs, ...options }: FairTurnsOptions): FairTurns {
  const turns = createFairSemaphore(1, options)
  return {
    run: <Result>(owner: string | undefined, work: () => Promise<Result>, restMs?: () => number): Promise<Result> => {
      const { promise, resolve, reject } = Promise.withResolvers<Result>()
      const takeTurn = async (): Promise<void> => {
        const result = work()
        resolve(result)
        await endOf(result, longestMs)
        if (restMs === undefined) return
        // The result is presented in this turn of the event loop.
        await untilOthersHadTheirTurn()
        await delay(Math.min(restMs(), longestMs))
      }
      turns.run(owner, takeTurn).catch(reject)
      return promise
    },
  }
}

/** Waits until work has ended in any way, but not longer than this time. */
async function endOf(result: Promise<unknown>, longestMs: number): Promise<void> {
  const timer = new AbortController()
  const timeout = delay(longestMs, undefined, { signal: timer.signal })
  await Promise.race([result, timeout]).catch(() => undefined)
  timer.abort()
  await timeout.catch(() => undefined)
}
