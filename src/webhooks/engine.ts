import type { Sending, WebhookDeps } from './context.ts'
import { createDeliverer } from './delivering/deliver.ts'
import { createPump } from './delivering/pump.ts'
import { createDispatcher } from './dispatching/dispatch-events.ts'
import { hasEnabledEndpoints } from './dispatching/store.ts'

/** How often is looked whether there are endpoints at all, which another process may have been told of. */
const LOOK_FOR_ENDPOINTS_MS = 5_000

/** How often is looked, while there are endpoints, for what is due again and for what other processes have left. */
const LOOK_FOR_DUE_MS = 1_000

/**
 * Hands events on to the endpoints that want them, and sends what is due, until stopped. Several processes may do so on one
 * database. While there are no endpoints almost nothing is done.
 */
export function startWebhooks(deps: WebhookDeps): Sending {
  const { db, log, feed } = deps
  const dispatcher = createDispatcher(deps)
  let isActive = false
  let isCatchUpWanted = false
  let unsubscribe: (() => void) | undefined
  let sweeping: NodeJS.Timeout | undefined

  const dispatching = createPump(log, 'handing on events', async () => {
    const isNewFull = await hand(() => dispatcher.dispatchNew())
    if (isCatchUpWanted) {
      isCatchUpWanted = false
      // Not assigned: it may have been wished for meanwhile.
      if (await hand(() => dispatcher.catchUp())) isCatchUpWanted = true
    }
    return isNewFull || isCatchUpWanted
  })

  const hand = async (work: () => ReturnType<typeof dispatcher.dispatchNew>): Promise<boolean> => {
    const { endpointIds, isFull } = await work()
    if (endpointIds.size > 0) deliverer.look(endpointIds)
    return isFull
  }

  const deliverer = createDeliverer(deps, () => {
    if (!dispatcher.isAnyBehind()) return
    isCatchUpWanted = true
    dispatching.ask()
  })

  const sweep = (): void => {
    isCatchUpWanted = true
    dispatching.ask()
    deliverer.look()
  }

  const watching = createPump(log, 'looking for webhook endpoints', async () => {
    const isWanted = await hasEnabledEndpoints(db)
    if (isWanted === isActive) return false
    isActive = isWanted
    if (isWanted) {
      unsubscribe = feed.subscribe(() => dispatching.ask())
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

  const sending: Sending = {
    wake: (endpointId) => {
      watching.ask()
      deliverer.look(endpointId === undefined ? undefined : [endpointId])
    },
    recall: (endpointId) => {
      deliverer.giveBack(endpointId)
      sending.wake(endpointId)
    },
    stop: async () => {
      if (deps.sending === sending) deps.sending = undefined
      clearInterval(watchingAgain)
      await watching.stop()
      rest()
      await dispatching.stop()
      await deliverer.stop()
    },
  }
  deps.sending = sending
  return sending
}
