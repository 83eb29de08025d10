import { amendAnswer, type IdempotentRequest } from '../../../platform/http/idempotency.ts'
import { Problem } from '../../../platform/problem.ts'
import { findOrder, type Order } from '../../order/store.ts'
import type { PaymentDeps } from '../providers/providers.ts'
import { executeRefunds } from './execute-refunds.ts'

/** Says what an action has reserved, and how to answer when it is carried out. */
export type Reserved<Body> = (order: Order, present: (current: Order) => Promise<Body>) => void

/**
 * Runs an action that reserves refunds, has them carried out when it has committed, and answers with how they stand then;
 * so does a repetition of the request. Should the process die in between, a job carries them out.
 */
export async function answerAfterRefunds<Body extends object>(
  deps: PaymentDeps,
  request: IdempotentRequest,
  act: (reserved: Reserved<Body>) => Promise<Body>,
): Promise<Body> {
  let pending: { orderId: string; present: Parameters<Reserved<Body>>[1] } | undefined
  const answer = await act((order, present) => {
    if (order.payment.refunds.some(({ status }) => status === 'pending')) pending = { orderId: order.id, present }
  })
  if (pending === undefined) return answer
  const { orderId, present } = pending
  await executeRefunds(deps, { orderId })
  const order = await findOrder(deps.db, { id: orderId })
  if (order === undefined) return answer
  try {
    const current = await present(order)
    await amendAnswer(deps, request, current)
    return current
  } catch (error) {
    // What was refused is done anew by a repetition; after any other error that would make a second refund.
    if (error instanceof Problem) await amendAnswer(deps, request, undefined)
    throw error
  }
}
