import pTimeout from 'p-timeout'
import type { Stripe } from 'stripe'
import { asking } from './errors.ts'

export interface StepLimits {
  /** For one request. */
  timeoutMs: number
  /** For all requests of a step, from its beginning. */
  stepMs: number
}

/** Sends one request of a step. */
export type Ask = <Answer>(
  send: (options: Stripe.RequestOptions) => Promise<Answer>,
  options?: { idempotencyKey?: string },
) => Promise<Answer>

/**
 * Begins a step: its requests together end before its time is over, whatever they wait for. The process that asks can rely
 * on that: its lease is longer.
 */
export function beginStep({ timeoutMs, stepMs }: StepLimits): Ask {
  const until = performance.now() + stepMs
  return async (send, options = {}) => {
    const left = until - performance.now()
    // Also where the whole process had stood still. Timers count whole milliseconds.
    if (left < 1) throw new Error('Stripe: the time for this step is over')
    const answer = send({ ...options, timeout: Math.ceil(Math.min(timeoutMs, left)) })
    const message = 'Stripe: no answer in the time for this step'
    return asking(pTimeout(answer, { milliseconds: Math.ceil(left), message }))
  }
}
