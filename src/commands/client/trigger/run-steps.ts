import type { Connection } from '../requests/connection.ts'
import { ApiError } from '../requests/problem.ts'
import { call } from '../requests/request.ts'
import { type Chosen, createDesign, createOrder } from './create-design.ts'
import type { Step } from './recipes.ts'
import { runShopStep } from './shop-steps.ts'

/** The text of the design, and what an order item puts in place of the placeholder. */
const TEXT = 'Platen'
const TEXT_WITH_PLACEHOLDER = 'For {{name}}'
const FILLED = { name: 'Ada' }

interface Scene {
  connection: Connection
  chosen: Chosen
  orderId: string
  /** Adds a record whose events the caller waits for. */
  follow: (subject: string) => void
}

/** Creates a design and runs the steps. @param follow called with the id of each record before its events happen */
export async function runSteps(connection: Connection, steps: readonly Step[], follow: Scene['follow']): Promise<void> {
  const chosen = await createDesign(connection, steps.includes('order_with_text') ? TEXT_WITH_PLACEHOLDER : TEXT)
  follow(chosen.designId)
  const scene: Scene = { connection, chosen, orderId: '', follow }
  for (const step of steps) await runStep(scene, step)
}

async function runStep(scene: Scene, step: Step): Promise<void> {
  const { connection, chosen, orderId } = scene
  switch (step) {
    case 'finalize':
      return call(connection, ['POST', `/designs/${chosen.designId}/finalize`])
    case 'archive':
      return call(connection, ['DELETE', `/designs/${chosen.designId}`])
    case 'order':
    case 'order_with_text':
      scene.orderId = await createOrder(connection, chosen, step === 'order' ? undefined : FILLED)
      scene.follow(scene.orderId)
      return
    case 'pay':
      return pay(scene, 'test_ok')
    case 'pay_with_late_failure':
      return pay(scene, 'test_late_failure')
    case 'cancel':
      return call(connection, ['POST', `/orders/${orderId}/cancel`], { body: { reason: 'Triggered by a developer.' } })
    default:
      return runShopStep(connection, orderId, step)
  }
}

/** Pays with a test token. A declined payment is what one of the tokens is for. */
async function pay({ connection, orderId }: Scene, token: string): Promise<void> {
  try {
    await call(connection, ['POST', `/orders/${orderId}/pay`], { body: { token } })
  } catch (error) {
    if (!(error instanceof ApiError) || error.problem.code !== 'payment_declined') throw error
  }
}
