import { type CheckPool, createCheckPool } from './checking/checker.ts'
import { createRenderPool, type RenderPool } from './renderer.ts'

/** The processes of a node that check and draw. */
export interface Pools {
  drawing: RenderPool
  checking: CheckPool
}

/**
 * Starts the first process of each pool. Otherwise the first save and the first rendering would wait until one has loaded
 * its fonts. A failure is logged, and each later job tries again.
 */
export function startPools(log: { warn(fields: object, message: string): void }): Pools {
  const pools = { drawing: createRenderPool({ log }), checking: createCheckPool({ log }) }
  const first = { isFirst: true }
  const started = [
    pools.checking.run('selfTest', undefined as never, first),
    pools.drawing.run('warmUp', undefined as never, first),
  ]
  Promise.all(started).catch((error: unknown) =>
    log.warn({ err: error }, 'a process that checks or draws failed to start'),
  )
  return pools
}
