import type { Stripe } from 'stripe'
import type { DeclineReason, RefusedCharge } from '../provider.ts'

type StripeError = InstanceType<typeof Stripe.errors.StripeError>

/**
 * What is kept of an error of Stripe's package. The error itself must not go further: it holds the answer, in it the
 * payment with its client secret, and the log writes members of errors.
 */
export class StripeFailure extends Error {
  override readonly name = 'StripeFailure'
  readonly type: string
  readonly code: string | undefined
  readonly status: number | undefined
  /** Of Stripe's request log. */
  readonly stripeRequestId: string | undefined
  readonly declineCode: string | undefined
  /** The parameter that is at fault. */
  readonly parameter: string | undefined
  /** The answer is the one to an earlier request with the same idempotency key. */
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

  /** The payment is in a state that does not allow what was asked. */
  get isUnexpectedState(): boolean {
    return this.code === 'payment_intent_unexpected_state' || this.code === 'charge_already_captured'
  }

  /** Stripe has understood the request and done nothing; asked again, it would do nothing again. */
  get isRefusal(): boolean {
    return (
      this.status !== undefined && [400, 402, 403, 404].includes(this.status) && this.type !== 'StripeIdempotencyError'
    )
  }
}

/** Runs a request to Stripe; an error of its package becomes a `StripeFailure`. */
export async function sendRequest<Answer>(request: Promise<Answer>): Promise<Answer> {
  try {
    return await request
  } catch (error) {
    throw isStripeError(error) ? new StripeFailure(error) : error
  }
}

function isStripeError(error: unknown): error is StripeError {
  return error instanceof Error && 'rawType' in error && 'type' in error
}

/** https://docs.stripe.com/declines/codes; what may be told of a card without helping whoever stole it. */
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

/** @param codes the decline code first, then the code */
export function declined(...codes: (string | undefined)[]): RefusedCharge {
  const known = codes.find((code) => code !== undefined && Object.hasOwn(REASONS, code))
  return { status: 'declined', reason: (known === undefined ? undefined : REASONS[known]) ?? 'card_declined' }
}

/**
 * What a failure says about a charge that was asked for.
 *
 * @returns undefined where it says nothing: whether the charge was made is not known
 */
export function refusalIn(failure: unknown): RefusedCharge | undefined {
  if (!(failure instanceof StripeFailure) || failure.isUnexpectedState) return undefined
  if (failure.status === 402) return declined(failure.declineCode, failure.code)
  // Keys that are wrong or may too little: the shop can mend that, and the customer can pay then.
  if (failure.status === 401 || failure.status === 403) return { status: 'unanswered' }
  if (!failure.isRefusal) return undefined
  const isToken = failure.parameter === 'payment_method' || failure.code?.startsWith('payment_method_') === true
  if (isToken) return { status: 'unanswered', because: 'token_unknown' }
  // A payment that is not there may be in another account.
  return failure.status === 404 ? undefined : { status: 'declined', reason: 'not_accepted' }
}
