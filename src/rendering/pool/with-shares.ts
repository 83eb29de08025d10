import type { FindShare } from '../../platform/fair-share.ts'
import type { JobHandlers } from './messages.ts'
import type { Pool } from './pool.ts'

/** Returns a pool that finds the share of each owner before a job waits. */
export function withShares<Handlers extends JobHandlers>(
  pool: Pool<Handlers>,
  findShare: FindShare | undefined,
): Pool<Handlers> {
  if (findShare === undefined) return pool
  return {
    ...pool,
    run: (kind, input, options = {}) => {
      const { owner } = options
      if (owner === undefined) return pool.run(kind, input, options)
      return Promise.resolve(findShare(owner)).then((share) => pool.run(kind, input, { ...options, share }))
    },
  }
}
