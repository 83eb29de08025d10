import { rejectWhenGone } from '../../concurrency/client-gone.ts'
import type { Debts, RequestContext } from '../../concurrency/request-context.ts'
import { refusalOf } from './connection-queue.ts'
import type { TransferBudgets } from './transfer-budgets.ts'

/** @param timeoutMs how long a request may wait, as for a connection */
export function createDebts(budgets: TransferBudgets, timeoutMs: number): Debts {
  return {
    has: (request) => (budgets.payerOf(request)?.waitMs() ?? 0) > 0,
    untilPaid: async (request) => {
      const since = performance.now()
      for (let isFirst = true; ; isFirst = false) {
        const payer = budgets.payerOf(request)
        const waitMs = payer?.waitMs() ?? 0
        if (waitMs === 0) return
        if (performance.now() + waitMs > since + timeoutMs) throw refusalOf(payer, waitMs)
        if (isFirst) payer?.note('waits')
        await pause(request, waitMs)
      }
    },
  }
}

function pause(request: RequestContext, ms: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, Math.ceil(ms))
  const stop = rejectWhenGone(request, 'turn', reject)
  return promise.finally(() => {
    clearTimeout(timer)
    stop()
  })
}
