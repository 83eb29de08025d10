import type { Stripe } from 'stripe'
import type { Log } from '../../../../platform/log.ts'
import type {
  Charge,
  ChargeState,
  NextAction,
  PaymentProvider,
  RefundOrder,
  RefundState,
  RefusedCharge,
} from '../provider.ts'
import { fromStripeAmount, toStripeAmount } from './amounts.ts'
import { asking, declined, refusalIn, StripeFailure } from './errors.ts'

export const STRIPE = 'stripe'

/** Under these names our ids are with Stripe's payments and refunds. */
const ATTEMPT = 'platen_attempt'
const REFUND = 'platen_refund'

/** How often a payment is looked at that changes while it is being released. */
const RELEASE_TRIES = 3

/** Of one payment. */
const MOST_REFUNDS = 1000

type PaymentIntent = Stripe.PaymentIntent

/**
 * Cards through Stripe: a PaymentIntent for each attempt, created first, then confirmed, then captured. It is a state
 * machine on Stripe's side that is confirmed and captured once whatever is repeated, also when the idempotency keys have
 * expired; and as its id is written down before it is confirmed, one that is lost has moved nothing.
 */
export function createStripeProvider(stripe: Stripe, log: Log): PaymentProvider {
  const { paymentIntents, refunds } = stripe
  const retrieve = (charge: Charge): Promise<PaymentIntent> => asking(paymentIntents.retrieve(referenceOf(charge)))

  /** What a failed request says; where that is nothing, how the payment stands. */
  async function explain(charge: Charge, failure: unknown): Promise<ChargeState> {
    const refusal = refusalIn(failure)
    if (refusal !== undefined) {
      if (refusal.status === 'unanswered') log.warn({ err: failure, attemptId: charge.id }, 'Stripe refused a charge')
      return refusal
    }
    if (failure instanceof StripeFailure && failure.isUnexpectedState) return toState(await retrieve(charge))
    throw failure
  }

  /**
   * Sends a request that the payment's state lets happen once. An error that Stripe keeps for the key, and would repeat
   * for a day, does not stand in the way: the state still does.
   */
  async function once(
    key: string,
    send: (options: Stripe.RequestOptions) => Promise<PaymentIntent>,
  ): Promise<PaymentIntent> {
    try {
      return await asking(send({ idempotencyKey: key }))
    } catch (failure) {
      const isKept = failure instanceof StripeFailure && failure.isReplayed && (failure.status ?? 0) >= 500
      if (!isKept) throw failure
      return asking(send({}))
    }
  }

  return {
    name: STRIPE,
    knowsToken: (token) => /^pm_\w{1,200}$/.test(token),
    refusalOf: (amount, currency) =>
      toStripeAmount(amount, currency) === undefined
        ? `Stripe cannot move exactly ${amount} minor units of ${currency}.`
        : undefined,

    register: async (charge) => {
      const params: Stripe.PaymentIntentCreateParams = {
        amount: requireAmount(charge.amount, charge.currency),
        currency: charge.currency.toLowerCase(),
        payment_method: charge.token,
        capture_method: 'manual',
        // Without means of payment that leave the page for a site of their own.
        automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
        description: `Order ${charge.orderNumber}`,
        metadata: { platen_order: charge.orderId, [ATTEMPT]: charge.id },
      }
      try {
        const { id } = await asking(paymentIntents.create(params, { idempotencyKey: `${charge.id}-create` }))
        return { reference: id }
      } catch (failure) {
        const refusal = refusalIn(failure)
        if (refusal === undefined) throw failure
        if (refusal.status === 'unanswered') log.warn({ err: failure, attemptId: charge.id }, 'Stripe refused a charge')
        return refusal
      }
    },

    authorize: async (charge) => {
      try {
        // What the bank may ask is answered in the page, by Stripe's library there.
        const params = { use_stripe_sdk: true }
        const confirm = (options: Stripe.RequestOptions) => paymentIntents.confirm(referenceOf(charge), params, options)
        return toState(await once(`${charge.id}-confirm`, confirm))
      } catch (failure) {
        return explain(charge, failure)
      }
    },

    look: async (charge) => toState(await retrieve(charge)),

    capture: async (charge) => {
      try {
        const capture = (options: Stripe.RequestOptions) => paymentIntents.capture(referenceOf(charge), {}, options)
        return requireEnd(toState(await once(`${charge.id}-capture`, capture)))
      } catch (failure) {
        if (!(failure instanceof StripeFailure && failure.isRefusal && failure.status !== 403)) throw failure
        const state = toState(await retrieve(charge))
        if (state.status !== 'authorized') return requireEnd(state)
        // Stripe does not capture what it holds, so it is not to go on holding it.
        await asking(paymentIntents.cancel(referenceOf(charge), { cancellation_reason: 'abandoned' }))
        return declined(failure.declineCode, failure.code)
      }
    },

    release: async (charge) => {
      for (let tries = 0; tries < RELEASE_TRIES; tries += 1) {
        const intent = await retrieve(charge)
        if (intent.status === 'canceled') return 0
        if (intent.status === 'succeeded') return giveBack(charge, intent)
        try {
          await asking(paymentIntents.cancel(intent.id, { cancellation_reason: 'abandoned' }))
          return 0
        } catch (failure) {
          // It has gone on meanwhile.
          if (!(failure instanceof StripeFailure && failure.isUnexpectedState)) throw failure
        }
      }
      throw new Error(`Stripe: ${charge.reference} can neither be cancelled nor given back yet`)
    },

    refund: async (order) => {
      try {
        return toRefundState((await findRefund(order)) ?? (await createRefund(order)))
      } catch (failure) {
        if (!(failure instanceof StripeFailure && failure.isRefusal && failure.status !== 403)) throw failure
        return { status: 'failed', reference: null, failure: failure.code ?? failure.type }
      }
    },

    listRefunds: async (charge) =>
      (await listAll(referenceOf(charge))).map((refund) => ({
        reference: refund.id,
        id: refund.metadata?.[REFUND] ?? null,
        amount: fromStripeAmount(refund.amount, charge.currency),
        state: toRefundState(refund),
      })),
  }

  /** A refund that was asked for before, also when Stripe has forgotten the idempotency key. */
  async function findRefund(order: RefundOrder): Promise<Stripe.Refund | undefined> {
    if (order.reference !== null) return asking(refunds.retrieve(order.reference))
    if (!order.isRepeated) return undefined
    const listed = await listAll(requireReference(order.chargeReference))
    return listed.find(({ metadata }) => metadata?.[REFUND] === order.id)
  }

  async function listAll(reference: string): Promise<Stripe.Refund[]> {
    return asking(refunds.list({ payment_intent: reference, limit: 100 }).autoPagingToArray({ limit: MOST_REFUNDS }))
  }

  async function createRefund({ id, chargeReference, amount, currency }: RefundOrder): Promise<Stripe.Refund> {
    const params: Stripe.RefundCreateParams = {
      payment_intent: requireReference(chargeReference),
      amount: requireAmount(amount, currency),
      metadata: { [REFUND]: id },
    }
    return asking(refunds.create(params, { idempotencyKey: `${id}-refund` }))
  }

  /** All of a payment that was captured for an attempt nobody wants any more. */
  async function giveBack(charge: Charge, intent: PaymentIntent): Promise<number> {
    const amount = fromStripeAmount(intent.amount_received, charge.currency)
    const listed = await listAll(intent.id)
    if (!listed.some(({ metadata }) => metadata?.[ATTEMPT] === charge.id)) {
      const params = { payment_intent: intent.id, metadata: { [ATTEMPT]: charge.id } }
      await asking(refunds.create(params, { idempotencyKey: `${charge.id}-return` }))
    }
    return amount
  }
}

function referenceOf({ reference }: Charge): string {
  return requireReference(reference)
}

function requireReference(reference: string | null): string {
  if (reference === null) throw new Error('Stripe was asked about a payment without its id')
  return reference
}

function requireAmount(amount: number, currency: string): number {
  const stripeAmount = toStripeAmount(amount, currency)
  if (stripeAmount === undefined) throw new Error(`Stripe cannot move ${amount} minor units of ${currency}`)
  return stripeAmount
}

/** @throws for a payment that Stripe is still working on */
function toState(intent: PaymentIntent): ChargeState {
  switch (intent.status) {
    case 'requires_confirmation':
      return { status: 'unconfirmed' }
    case 'requires_action':
      return { status: 'action_required', action: toAction(intent) }
    case 'requires_capture':
      return { status: 'authorized' }
    case 'succeeded':
      return { status: 'captured' }
    case 'requires_payment_method':
      return declined(intent.last_payment_error?.decline_code, intent.last_payment_error?.code)
    case 'canceled':
      return { status: 'unanswered' }
    default:
      throw new Error(`Stripe: ${intent.id} is ${intent.status}`)
  }
}

function toAction({ next_action: action, client_secret: clientSecret }: PaymentIntent): NextAction {
  const redirectUrl = action?.redirect_to_url?.url
  return {
    type: action?.type ?? 'use_stripe_sdk',
    ...(clientSecret === null ? {} : { clientSecret }),
    ...(redirectUrl === undefined || redirectUrl === null ? {} : { redirectUrl }),
  }
}

function requireEnd(state: ChargeState): { status: 'captured' } | RefusedCharge {
  if (state.status === 'captured' || state.status === 'declined' || state.status === 'unanswered') return state
  throw new Error(`Stripe: a captured payment is ${state.status}`)
}

function toRefundState({ id, status, failure_reason: failure }: Stripe.Refund): RefundState {
  if (status === 'succeeded') return { status, reference: id }
  if (status === 'failed' || status === 'canceled')
    return { status: 'failed', reference: id, failure: failure ?? status }
  return { status: 'pending', reference: id }
}
