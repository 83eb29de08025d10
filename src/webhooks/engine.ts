import type { WebhookDeps, WebhookEngine } from './context.ts'
import { createFanOut } from './fan-out/fan-out.ts'
import { hasEnabledEndpoints } from './fan-out/store.ts'
import { createDeliveryWorker } from './worker/delivery-worker.ts'
import { createPump } from './worker/pump.ts'

/** How often a process checks whether there are enabled endpoints. Another process may have added the first one. */
const LOOK_FOR_ENDPOINTS_MS = 5_000

/**
 * How often a process polls for due deliveries if there are enabled endpoints. It also finds deliveries that a killed
 * process had claimed.
 */
const LOOK_FOR_DUE_MS = 1_000

/**
 * Starts the fan-out, which creates deliveries of new events, and the worker, which sends them. Several processes may
 * run them on one database. If there are no endpoints, the only cost is one small query every few seconds.
 */
export function startWebhooks(deps: WebhookDeps): WebhookEngine {
  const { db, log, feed } = deps
  const fanOut = createFanOut(deps)
  let isActive = false
  let isCatchUpWanted = false
  let unsubscribe: (() => void) | undefined
  let sweeping: NodeJS.Timeout | undefined

  const fanningOut = createPump(log, 'creating webhook deliveries', async () => {
    const isNewFull = await hand(() => fanOut.addNew())
    if (isCatchUpWanted) {
      isCatchUpWanted = false
      // The result is not assigned directly, because another caller may have set the variable to true during the call.
      if (await hand(() => fanOut.catchUp())) isCatchUpWanted = true
    }
    return isNewFull || isCatchUpWanted
  })

  const hand = async (work: () => ReturnType<typeof fanOut.addNew>): Promise<boolean> => {
    const { endpointIds, isFull } = await work()
    if (endpointIds.size > 0) worker.poll(endpointIds)
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
    worker.poll()
  }

  const watching = createPump(log, 'polling for webhook endpoints', async () => {
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
      worker.poll(endpointId === undefined ? undefined : [endpointId])
    },
    recall: (endpointId) => {
      worker.release(endpointId)
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
