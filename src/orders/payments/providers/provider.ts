import type { Clock } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/db/index.ts'
import type { App } from '../../../platform/http/server.ts'
import type { Log } from '../../../platform/log.ts'

/** For one call of a provider's method. */
export const STEP_SECONDS = 20

/** One try to charge an order, as a provider is told of it. */
export interface Charge {
  /** Of the attempt. Identifies the charge to the provider: asked twice with the same id, it charges once. */
  id: string
  orderId: string
  /** As people read it, for the provider's own records. */
  orderNumber: string
  /** In minor units of the currency. */
  amount: number
  currency: string
  /** How the customer wants to pay, in the provider's own terms. */
  token: string
  /** What the provider calls the charge; null until it was registered there. */
  reference: string | null
}

/** What the customer has to do before their bank agrees, in the terms of the provider's library for pages. */
export interface NextAction {
  type: string
  clientSecret?: string
  redirectUrl?: string
}

/** Why a charge was declined, as far as the customer may know it. */
export const DECLINE_REASONS = {
  card_declined: 'The card was declined.',
  insufficient_funds: 'There is not enough money on the account.',
  expired_card: 'The card has expired.',
  incorrect_details: 'The number, the date or the security code of the card is not correct.',
  authentication_failed: 'It could not be confirmed that the payer is the holder of the card.',
  not_supported: 'The card does not support this payment.',
  not_accepted: 'The payment provider does not accept this payment.',
} as const
export type DeclineReason = keyof typeof DECLINE_REASONS

/** Nothing was charged. */
export type RefusedCharge =
  | { status: 'declined'; reason: DeclineReason }
  /** The adapter has made sure that this attempt will not be charged any more. */
  | { status: 'unanswered'; because?: 'token_unknown' }

export type ChargeState =
  /** The provider knows of it and was not asked to charge yet. */
  | { status: 'unconfirmed' }
  | { status: 'action_required'; action: NextAction }
  /** The money is held for us. */
  | { status: 'authorized' }
  /** The money is ours. */
  | { status: 'captured' }
  | RefusedCharge

/** A refund, as a provider is told of it. */
export interface RefundInstruction {
  /** Asked twice with the same id, the provider gives back once. */
  id: string
  /** What the provider calls the charge. */
  chargeReference: string | null
  /** In minor units of the currency. */
  amount: number
  currency: string
  /** What the provider calls the refund, where that is known already. */
  reference: string | null
  /** Whether the provider may have been asked before. */
  isRepeated: boolean
}

export type RefundState =
  | { status: 'succeeded'; reference: string | null }
  /** The provider has taken it on and does not know yet how it ends. */
  | { status: 'pending'; reference: string }
  /** Nothing was given back, and nothing will be. `failure`: in the provider's own terms. */
  | { status: 'failed'; reference: string | null; failure: string }

/** A refund as the provider shows it. */
export interface KnownRefund {
  reference: string
  /** Our id of it; null for one that was not asked for here. */
  id: string | null
  amount: number
  state: RefundState
}

/**
 * A service that moves money. Every method may be called again with the same charge or refund, by whatever process,
 * and moves the money once. An exception means that nothing is known about the outcome: it is asked for again later.
 * Each answers or throws within `STEP_SECONDS`, however many requests it sends.
 */
export interface PaymentProvider {
  /** As `payment.method` names it. */
  name: string
  /** Whether it can make anything of this token. */
  acceptsToken(token: string): boolean
  /** Why it cannot move exactly this amount, as a sentence; undefined where it can. */
  refusalOf(amount: number, currency: string): string | undefined
  /**
   * Tells the provider of a charge without charging. What the provider calls it is stored before `authorize`.
   * Left out: the provider calls a charge by its own name and our id.
   */
  register?(charge: Charge): Promise<{ reference: string } | RefusedCharge>
  /** Asks for the money to be held. */
  authorize(charge: Charge): Promise<ChargeState>
  /** Finds out how far a charge is that was registered. */
  retrieve(charge: Charge): Promise<ChargeState>
  /** Takes the money that is held. */
  capture(charge: Charge): Promise<{ status: 'captured' } | RefusedCharge>
  /**
   * Makes sure that nothing is held or taken for a charge, now or later.
   *
   * @returns how much had been taken and was given back, in minor units
   */
  release(charge: Charge): Promise<number>
  refund(refund: RefundInstruction): Promise<RefundState>
  /** All refunds of a charge, also those that were not asked for here. */
  listRefunds(charge: Charge): Promise<KnownRefund[]>
}

/** Opens a provider with its settings, which are undefined if it is not configured. */
export type OpenProvider<Settings> = (
  settings: Settings | undefined,
  tools: { clock: Clock; log: Log },
) => Promise<OpenedProvider>

export interface OpenedProvider {
  /** Undefined: the provider is not configured. */
  provider: PaymentProvider | undefined
  /** Adds the routes that the provider calls. They exist without settings too, so that clients cannot detect these. */
  addRoutes?(app: App, deps: { db: Db }): void
}
