import type { Stripe } from 'stripe'
import type { DeclineReason, RefusedCharge } from '../provider.ts'

type StripeError = InstanceType<typeof Stripe.errors.StripeError>

/** The part of a Stripe error that can be logged. The error itself contains the client secret of the payment. */
export class StripeFailure extends Error {
  override readonly name = 'StripeFailure'
  readonly type: string
  readonly code: string | undefined
  readonly status: number | undefined
  /** Id of the request in the log of Stripe. */
  readonly stripeRequestId: string | undefined
  readonly declineCode: string | undefined
  /** Name of the parameter that Stripe rejected. */
  readonly parameter: string | undefined
  /** Whether Stripe replayed the response to an earlier request with the same idempotency key. */
  readonly isReplayed: boolean

  constructor(error: StripeError) {
    super(`Stripe: ${[error.type, error.code, error.statusCode].filter((part) => part !== undefined).join(' ')}`)
    this.type = error.type
    this.code = error.code
    this.status = error.statusCode
    this.stripeRequestId = error.requestId
    this.declineCode = error.decline_code
    this.parameter = error.param
    this.isReplayed = error.headers?.['idempotent-replayed'] === 'true'
  }

  /** Whether the state of the payment does not allow the request. */
  get isUnexpectedState(): boolean {
    return this.code === 'payment_intent_unexpected_state' || this.code === 'charge_already_captured'
  }

  /** Whether Stripe rejected the request without any effect, and would reject a repetition. */
  get isRefusal(): boolean {
    return (
      this.status !== undefined && [400, 402, 403, 404].includes(this.status) && this.type !== 'StripeIdempotencyError'
    )
  }
}

/** Converts errors of Stripe's package to `StripeFailure`. */
export async function sendRequest<Result>(request: Promise<Result>): Promise<Result> {
  try {
    return await request
  } catch (error) {
    throw isStripeError(error) ? new StripeFailure(error) : error
  }
}

function isStripeError(error: unknown): error is StripeError {
  return error instanceof Error && 'rawType' in error && 'type' in error
}

/**
 * Reasons for clients by decline code of Stripe (https://docs.stripe.com/declines/codes). Codes that would help a
 * thief, such as `stolen_card`, are missing and become `card_declined`.
 */
const REASONS: Readonly<Record<string, DeclineReason>> = {
  insufficient_funds: 'insufficient_funds',
  card_velocity_exceeded: 'insufficient_funds',
  withdrawal_count_limit_exceeded: 'insufficient_funds',
  expired_card: 'expired_card',
  incorrect_cvc: 'incorrect_details',
  invalid_cvc: 'incorrect_details',
  incorrect_number: 'incorrect_details',
  invalid_number: 'incorrect_details',
  invalid_expiry_month: 'incorrect_details',
  invalid_expiry_year: 'incorrect_details',
  incorrect_zip: 'incorrect_details',
  incorrect_address: 'incorrect_details',
  authentication_required: 'authentication_failed',
  authentication_not_handled: 'authentication_failed',
  payment_intent_authentication_failure: 'authentication_failed',
  card_not_supported: 'not_supported',
  currency_not_supported: 'not_supported',
  transaction_not_allowed: 'not_supported',
}

/**
 * Converts the codes of a declined payment to the outcome of the charge.
 *
 * @param codes decline code first, then error code
 */
export function declined(...codes: (string | undefined)[]): RefusedCharge {
  const known = codes.find((code) => code !== undefined && Object.hasOwn(REASONS, code))
  return { status: 'declined', reason: (known === undefined ? undefined : REASONS[known]) ?? 'card_declined' }
}

/** Returns the outcome of the charge that a failed request states, or undefined if the outcome is unknown. */
export function refusalIn(failure: unknown): RefusedCharge | undefined {
  if (!(failure instanceof StripeFailure) || failure.isUnexpectedState) return undefined
  if (failure.status === 402) return declined(failure.declineCode, failure.code)
  // The API keys are wrong or lack permissions. The customer can pay once the shop has corrected them.
  if (failure.status === 401 || failure.status === 403) return { status: 'unanswered' }
  if (!failure.isRefusal) return undefined
  const isToken = failure.parameter === 'payment_method' || failure.code?.startsWith('payment_method_') === true
  if (isToken) return { status: 'unanswered', because: 'token_unknown' }
  // On 404 the outcome is unknown, because the payment may belong to another Stripe account.
  return failure.status === 404 ? undefined : { status: 'declined', reason: 'not_accepted' }
}
