import type { Stripe } from 'stripe'
import { sendRequest } from './errors.ts'

export interface StepLimits {
  /** For one request. */
  timeoutMs: number
  /** For all requests of a step, from its beginning. */
  stepMs: number
}

/** Sends one request of a step. */
export type Send = <Answer>(
  send: (options: Stripe.RequestOptions) => Promise<Answer>,
  options?: { idempotencyKey?: string },
) => Promise<Answer>

/**
 * Begins a step: its requests together end before its time is over, whatever they wait for. The process that asks can rely
 * on that: its lease is longer.
 */
export function createTimeBudget({ timeoutMs, stepMs }: StepLimits): Send {
  const until = performance.now() + stepMs
  return async (send, options = {}) => {
    const left = until - performance.now()
    // Also where the whole process had stood still. Timers count whole milliseconds.
    if (left < 1) throw new Error('Stripe: the time for this step is over')
    return sendRequest(within(left, () => send({ ...options, timeout: Math.ceil(Math.min(timeoutMs, left)) })))
  }
}

async function within<Answer>(ms: number, send: () => Promise<Answer>): Promise<Answer> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('Stripe: no answer in the time for this step')), Math.ceil(ms))
  try {
    return await Promise.race([send(), late.promise])
  } finally {
    clearTimeout(timer)
  }
}
