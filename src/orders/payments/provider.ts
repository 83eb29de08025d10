export interface ChargeRequest {
  /** Identifies the charge to the provider: asked twice with the same id, it charges once and answers the same. */
  attemptId: string
  /** In minor units. */
  amount: number
  currency: string
  /** How the customer wants to pay, in the provider's own terms. */
  token: string
}

export type ChargeOutcome =
  | { status: 'captured'; reference: string }
  | { status: 'declined' }
  /** No answer came, and the adapter has made sure that this attempt will not be charged any more. */
  | { status: 'unanswered' }

/**
 * A service that charges customers. An exception means that nothing is known about the charge:
 * it is asked again later, with the same id.
 */
export interface PaymentProvider {
  /** As `payment.method` names it. */
  name: string
  /** Whether it can make anything of this token. */
  knowsToken(token: string): boolean
  charge(request: ChargeRequest): Promise<ChargeOutcome>
}
