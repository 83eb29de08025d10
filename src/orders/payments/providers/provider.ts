import type { Clock } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/db/index.ts'
import type { App } from '../../../platform/http/server.ts'
import type { Log } from '../../../platform/telemetry/log.ts'
import type { DisputeEnd } from '../../order/disputes.ts'

/** Time limit of one call of a method of a provider. */
export const STEP_SECONDS = 20

/** An attempt to charge an order, as a provider sees it. */
export interface Charge {
  /** Id of the attempt. The provider charges at most once per id. */
  id: string
  orderId: string
  /** Number of the order, for the records of the provider. */
  orderNumber: string
  /** In minor units of the currency. */
  amount: number
  currency: string
  /** Means of payment as an opaque token of the provider. */
  token: string
  /** Id of the charge at the provider. Null until it is registered. */
  reference: string | null
}

/** The customer who pays, as far as the provider may know. */
export interface Payer {
  email: string | null
  /** Language (BCP 47). */
  locale: string | null
}

/** What the customer must do before their bank approves the payment, in the terms of the provider's client library. */
export interface NextAction {
  type: string
  clientSecret?: string
  redirectUrl?: string
}

/** Reasons why a charge was declined, as far as the customer may know them. */
export const DECLINE_REASONS = {
  card_declined: 'The card was declined.',
  insufficient_funds: 'The account does not have sufficient funds.',
  expired_card: 'The card has expired.',
  incorrect_details: 'The number, the expiry date or the security code of the card is incorrect.',
  authentication_failed: 'The bank could not authenticate the card holder.',
  not_supported: 'The card does not support this payment.',
  not_accepted: 'The payment provider does not accept this payment.',
} as const
export type DeclineReason = keyof typeof DECLINE_REASONS

export type RefusedCharge =
  | { status: 'declined'; reason: DeclineReason }
  /** The provider has not charged this attempt and guarantees that it never will. */
  | { status: 'unanswered'; because?: 'token_unknown' }

export type ChargeState =
  /** Registered, but not authorized yet. */
  | { status: 'unconfirmed' }
  /** `isCommitted`: the customer has acted, and the provider decides later, so the charge does not end for its age. */
  | { status: 'action_required'; action: NextAction; isCommitted?: true }
  | { status: 'authorized' }
  | { status: 'captured' }
  | RefusedCharge

/** A state, and the id under which the provider continues the charge, if that is another one than before. */
export type KnownState = ChargeState & { reference?: string }

/** The captured amount that a provider returned, in minor units, and the id of the charge, if that is another one. */
export interface ReleasedCharge {
  returned: number
  reference?: string
}

/** A refund, as a provider sees it. */
export interface RefundInstruction {
  /** Id of the refund. The provider refunds at most once per id. */
  id: string
  /** Id of the charge at the provider. */
  chargeReference: string | null
  amount: number
  currency: string
  /** Id of the refund at the provider. Null until it is known. */
  reference: string | null
  /** Whether an earlier call may have reached the provider. */
  isRepeated: boolean
}

export type RefundState =
  | { status: 'succeeded'; reference: string | null }
  /** The provider has accepted the refund, and its outcome is not known yet. */
  | { status: 'pending'; reference: string }
  /** Nothing was or will be refunded. `failure` is the reason in the terms of the provider. */
  | { status: 'failed'; reference: string | null; failure: string }

/** A refund that the provider lists. */
export interface KnownRefund {
  reference: string
  /** Id of the refund in this service. Null if the shop made the refund directly with the provider. */
  id: string | null
  amount: number
  state: RefundState
}

/** A dispute (chargeback) that the provider lists. */
export interface KnownDispute {
  reference: string
  /** Null while the dispute is open. */
  end: DisputeEnd | null
}

/**
 * A payment service. Any process may repeat a call with the same charge or refund, and money moves only once. An
 * exception means that the outcome is unknown; the service then repeats the call later. Each method ends within
 * `STEP_SECONDS`, regardless of how many requests it sends.
 */
export interface PaymentProvider {
  /** Name that `payment.method` of an order contains. */
  name: string
  acceptsToken(token: string): boolean
  /**
   * Token of attempts for which the customer enters the means of payment on a page of the provider. Clients cannot send
   * it. Undefined: the provider has no such page, so clients must send a token.
   */
  pageToken?: string
  /** Says which tokens the provider accepts, for callers who sent another one. */
  tokenHint: string
  /** Returns the reason why the provider cannot transfer exactly this amount, or undefined if it can. */
  refusalOf(amount: number, currency: string): string | undefined
  /**
   * Registers a charge without charging, and returns the id that the provider assigns to it. The service stores this id
   * before `authorize`. Without this method, the name of the provider and the id of the attempt identify the charge.
   *
   * @param until when the service ends the attempt if the customer has not acted
   */
  register?(charge: Charge, options: { payer: Payer; until: Date }): Promise<{ reference: string } | RefusedCharge>
  authorize(charge: Charge): Promise<KnownState>
  retrieve(charge: Charge): Promise<KnownState>
  capture(charge: Charge): Promise<{ status: 'captured' } | RefusedCharge>
  /** Voids or refunds a charge, so that nothing stays authorized or captured, now or later. */
  release(charge: Charge): Promise<ReleasedCharge>
  refund(refund: RefundInstruction): Promise<RefundState>
  /** Lists all refunds of a charge, including those that the shop made directly with the provider. */
  listRefunds(charge: Charge): Promise<KnownRefund[]>
  /** Lists all disputes of a charge, open or not, that the provider lets the service read. */
  listDisputes(charge: Charge): Promise<KnownDispute[]>
  /** Tells whether the service may read disputes. Undefined: the provider did not say. Absent: it always may. */
  mayReadDisputes?(): Promise<boolean | undefined>
}

/** Opens a provider with its settings. They are undefined if the provider is not configured. */
export type OpenProvider<Settings> = (settings: Settings | undefined, tools: ProviderTools) => Promise<OpenedProvider>

export interface ProviderTools {
  clock: Clock
  log: Log
  /** The page of an order is `/orders/{id}` below this URL. */
  shopUrl: string
}

export interface OpenedProvider {
  /** Undefined: the provider is not configured. */
  provider: PaymentProvider | undefined
  /**
   * Adds the routes that the provider calls. They exist even if the provider is not configured, so that clients cannot
   * find out whether it is.
   */
  addRoutes?(app: App, deps: { db: Db }): void
}
