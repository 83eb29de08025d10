import pTimeout from 'p-timeout'
import type { Stripe } from 'stripe'
import { sendRequest } from './errors.ts'

export interface StepLimits {
  timeoutMs: number
  /** Time limit of all requests together. */
  stepMs: number
}

export type Send = <Result>(
  send: (options: Stripe.RequestOptions) => Promise<Result>,
  options?: { idempotencyKey?: string },
) => Promise<Result>

/** Limits the total time of all requests of one step, so that the step ends before the lease of its caller. */
export function createTimeBudget({ timeoutMs, stepMs }: StepLimits): Send {
  const until = performance.now() + stepMs
  return async (send, options = {}) => {
    const left = until - performance.now()
    // Also catches the time in which the process was suspended. Timers count whole milliseconds, so less than one is no
    // time.
    if (left < 1) throw new Error('Stripe: the time limit of the step has passed')
    const response = send({ ...options, timeout: Math.ceil(Math.min(timeoutMs, left)) })
    const message = 'Stripe: no response within the time limit of the step'
    return sendRequest(pTimeout(response, { milliseconds: Math.ceil(left), message }))
  }
}
