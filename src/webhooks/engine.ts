import type { WebhookDeps, WebhookEngine } from './context.ts'
import { createFanOut } from './fan-out/fan-out.ts'
import { hasEnabledEndpoints } from './fan-out/store.ts'
import { createDeliveryWorker } from './worker/delivery-worker.ts'
import { createPump } from './worker/pump.ts'

/** How often is looked whether there are endpoints at all, which another process may have been told of. */
const LOOK_FOR_ENDPOINTS_MS = 5_000

/** How often is looked, while there are endpoints, for what is due again and for what other processes have left. */
const LOOK_FOR_DUE_MS = 1_000

/**
 * Hands events on to the endpoints that want them, and sends what is due, until stopped. Several processes may do so on one
 * database. While there are no endpoints almost nothing is done.
 */
export function startWebhooks(deps: WebhookDeps): WebhookEngine {
  const { db, log, feed } = deps
  const fanOut = createFanOut(deps)
  let isActive = false
  let isCatchUpWanted = false
  let unsubscribe: (() => void) | undefined
  let sweeping: NodeJS.Timeout | undefined

  const fanningOut = createPump(log, 'handing on events', async () => {
    const isNewFull = await hand(() => fanOut.addNew())
    if (isCatchUpWanted) {
      isCatchUpWanted = false
      // Not assigned: it may have been wished for meanwhile.
      if (await hand(() => fanOut.catchUp())) isCatchUpWanted = true
    }
    return isNewFull || isCatchUpWanted
  })

  const hand = async (work: () => ReturnType<typeof fanOut.addNew>): Promise<boolean> => {
    const { endpointIds, isFull } = await work()
    if (endpointIds.size > 0) worker.look(endpointIds)
    return isFull
  }

  const worker = createDeliveryWorker(deps, () => {
    if (!fanOut.isAnyBehind()) return
    isCatchUpWanted = true
    fanningOut.ask()
  })

  const sweep = (): void => {
    isCatchUpWanted = true
    fanningOut.ask()
    worker.look()
  }

  const watching = createPump(log, 'looking for webhook endpoints', async () => {
    const isWanted = await hasEnabledEndpoints(db)
    if (isWanted === isActive) return false
    isActive = isWanted
    if (isWanted) {
      unsubscribe = feed.subscribe(() => fanningOut.ask())
      sweeping = setInterval(sweep, LOOK_FOR_DUE_MS)
      sweep()
    } else rest()
    return false
  })

  const rest = (): void => {
    unsubscribe?.()
    clearInterval(sweeping)
  }

  const watchingAgain = setInterval(() => watching.ask(), LOOK_FOR_ENDPOINTS_MS)
  watching.ask()

  const engine: WebhookEngine = {
    wake: (endpointId) => {
      watching.ask()
      worker.look(endpointId === undefined ? undefined : [endpointId])
    },
    recall: (endpointId) => {
      worker.giveBack(endpointId)
      engine.wake(endpointId)
    },
    stop: async () => {
      if (deps.engine === engine) deps.engine = undefined
      clearInterval(watchingAgain)
      await watching.stop()
      rest()
      await fanningOut.stop()
      await worker.stop()
    },
  }
  deps.engine = engine
  return engine
}
