import type { WorkerEvents } from 'graphile-worker'

/** The flag of the jobs of a share, by which a runner passes over them. */
export function flagOf(share: string): string {
  return `share ${share}`
}

/**
 * Limits how many jobs of one share a runner has at a time. In each share, jobs keep their order.
 *
 * The places of a runner look for jobs one after another: two that look at once would both find a job of the same share.
 * A share at its limit needs no further look, because the place whose job ends looks next.
 *
 * @returns a function for each place to call before it looks. It returns the flags of jobs that the place must not take
 */
export function limitShares(events: WorkerEvents, most: number): () => Promise<string[]> {
  const running = new Map<string, string[]>()
  let endLook: (() => void) | undefined
  let last: Promise<void> = Promise.resolve()

  const passOn = (): void => endLook?.()
  events.on('job:start', ({ job }) => {
    running.set(job.id, Object.keys(job.flags ?? {}))
    passOn()
  })
  events.on('worker:getJob:empty', passOn)
  events.on('worker:getJob:error', passOn)
  events.on('job:complete', ({ job }) => void running.delete(job.id))

  return async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const before = last
    last = ended
    await before
    endLook = end
    const held = [...running.values()].flat()
    return [...new Set(held)].filter((flag) => held.filter((one) => one === flag).length >= most)
  }
}
