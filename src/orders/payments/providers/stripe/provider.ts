import type { Stripe } from 'stripe'
import type { Log } from '../../../../platform/telemetry/log.ts'
import type {
  Charge,
  ChargeState,
  KnownState,
  NextAction,
  PaymentProvider,
  RefundInstruction,
  RefundState,
  RefusedCharge,
  ReleasedCharge,
} from '../provider.ts'
import { fromStripeAmount, requireAmount, toStripeAmount } from './amounts.ts'
import { CHECKOUT, type CheckoutOptions, createCheckout, isSession } from './checkout.ts'
import { createDisputeReader } from './dispute-reader.ts'
import { declined, refusalIn, StripeFailure } from './errors.ts'
import { ATTEMPT, metadataOf, REFUND } from './metadata.ts'
import { createTimeBudget, type Send, type StepLimits } from './time-budget.ts'

export const STRIPE = 'stripe'

/** Number of tries to release a payment that changes between reading and cancelling it. */
const RELEASE_TRIES = 3

/** Maximum number of refunds that are read for one payment. */
const MAX_LISTED = 1000

type PaymentIntent = Stripe.PaymentIntent

/**
 * Card payments through Stripe, with one PaymentIntent per attempt: create, confirm, capture. A PaymentIntent is
 * confirmed and captured only once, even if requests are repeated after the idempotency keys have expired. Its id is
 * stored before it is confirmed, so a PaymentIntent whose id was lost has moved no money.
 *
 * Without a token, an attempt is first a Checkout Session, whose page creates the PaymentIntent. While the page is open,
 * only the page changes the PaymentIntent, so the charge keeps the id of the session until then.
 */
export function createStripeProvider(
  stripe: Stripe,
  log: Log,
  { checkout: pages, ...limits }: StepLimits & { checkout: CheckoutOptions },
): PaymentProvider {
  const { paymentIntents, refunds } = stripe
  const disputes = createDisputeReader(stripe, log)
  const checkout = createCheckout(stripe, pages)
  const begin = () => createTimeBudget(limits)
  const retrieve = (send: Send, charge: Charge): Promise<PaymentIntent> =>
    send((options) => paymentIntents.retrieve(referenceOf(charge), {}, options))

  /** Returns the outcome that a failed request states, or otherwise the current state of the payment at Stripe. */
  async function explain(send: Send, charge: Charge, failure: unknown): Promise<ChargeState> {
    const refusal = explainRefusal(charge, failure)
    if (refusal !== undefined) return refusal
    if (failure instanceof StripeFailure && failure.isUnexpectedState)
      return stateOf(charge, await retrieve(send, charge))
    throw failure
  }

  /** Returns the outcome that a failed request states. Logs failures that the customer cannot correct. */
  function explainRefusal(charge: Charge, failure: unknown): RefusedCharge | undefined {
    const refusal = refusalIn(failure)
    const isOurs = refusal?.status === 'declined' ? refusal.reason === 'not_accepted' : refusal?.status === 'unanswered'
    if (isOurs) log.error({ err: failure, attemptId: charge.id }, 'Stripe refused a charge')
    return refusal
  }

  /** @throws if the payment is not about the amount of the order, or Stripe captured only a part of it */
  function stateOf(charge: Charge, intent: PaymentIntent): ChargeState {
    const state = toState(intent)
    if (state.status === 'authorized' || state.status === 'captured') requireTotal(charge, intent)
    if (state.status === 'captured' && intent.amount_received !== intent.amount) {
      const { id: reference, amount, amount_received: received } = intent
      log.error({ attemptId: charge.id, reference, amount, received }, 'Stripe captured only a part of a payment')
      throw new Error(`Stripe: only a part of ${reference} was captured`)
    }
    return state
  }

  function requireTotal(charge: Charge, { id: reference, amount, currency }: PaymentIntent): void {
    const isTotal = amount === toStripeAmount(charge.amount, charge.currency)
    if (isTotal && currency === charge.currency.toLowerCase()) return
    log.error(
      { attemptId: charge.id, reference, amount, currency },
      'a payment at Stripe is not the total of its order',
    )
    throw new Error(`Stripe: ${reference} is not about the total of the order`)
  }

  async function sessionState(charge: Charge): Promise<KnownState> {
    const visit = await checkout.retrieve(begin(), referenceOf(charge))
    if (visit.status === 'expired') return { status: 'unanswered' }
    if (visit.status === 'complete') return { ...stateOf(charge, visit.intent), reference: visit.intent.id }
    return { status: 'action_required', action: { type: 'redirect', redirectUrl: visit.url } }
  }

  /**
   * Sends a request that the state of the payment allows only once. Stripe replays a stored server error for a day. In
   * that case the request is sent again without an idempotency key; the state of the payment still prevents a second
   * effect.
   */
  async function once(
    send: Send,
    key: string,
    request: (options: Stripe.RequestOptions) => Promise<PaymentIntent>,
  ): Promise<PaymentIntent> {
    try {
      return await send(request, { idempotencyKey: key })
    } catch (failure) {
      const isKept = failure instanceof StripeFailure && failure.isReplayed && (failure.status ?? 0) >= 500
      if (!isKept) throw failure
      return send(request)
    }
  }

  return {
    name: STRIPE,
    tokenHint: 'Send the id of a Stripe payment method (`pm_...`), or no token for the page of Stripe.',
    acceptsToken: (token) => /^pm_\w{1,200}$/.test(token),
    refusalOf: (amount, currency) =>
      toStripeAmount(amount, currency) === undefined
        ? `Stripe cannot move exactly ${amount} minor units of ${currency}.`
        : undefined,

    pageToken: CHECKOUT,

    register: async (charge, options) => {
      const send = begin()
      const create = charge.token === CHECKOUT ? checkout.create(send, charge, options) : createIntent(send, charge)
      try {
        return { reference: await create }
      } catch (failure) {
        const refusal = explainRefusal(charge, failure)
        if (refusal === undefined) throw failure
        return refusal
      }
    },

    authorize: async (charge) => {
      if (isSession(charge)) return sessionState(charge)
      const send = begin()
      try {
        // The client library of Stripe shows the authentication of the bank within the page.
        const params = { use_stripe_sdk: true }
        const confirm = (options: Stripe.RequestOptions) => paymentIntents.confirm(referenceOf(charge), params, options)
        return stateOf(charge, await once(send, `${charge.id}-confirm`, confirm))
      } catch (failure) {
        return explain(send, charge, failure)
      }
    },

    retrieve: async (charge) =>
      isSession(charge) ? sessionState(charge) : stateOf(charge, await retrieve(begin(), charge)),

    capture: async (charge) => {
      const send = begin()
      try {
        const capture = (options: Stripe.RequestOptions) => paymentIntents.capture(referenceOf(charge), {}, options)
        return requireEnd(stateOf(charge, await once(send, `${charge.id}-capture`, capture)))
      } catch (failure) {
        if (!(failure instanceof StripeFailure && failure.isRefusal && failure.status !== 403)) throw failure
        const state = stateOf(charge, await retrieve(send, charge))
        if (state.status !== 'authorized') return requireEnd(state)
        // Stripe refuses to capture the amount, so the authorization is voided.
        await cancel(send, referenceOf(charge))
        return declined(failure.declineCode, failure.code)
      }
    },

    release: async (charge) => {
      const send = begin()
      return isSession(charge) ? releaseSession(send, charge) : { returned: await releaseIntent(send, charge) }
    },

    refund: async (order) => {
      const send = begin()
      const found = await findRefund(send, order)
      if (found !== undefined) return toRefundState(found)
      try {
        return toRefundState(await createRefund(send, order))
      } catch (failure) {
        if (!(failure instanceof StripeFailure && isEnd(failure, order))) throw failure
        return { status: 'failed', reference: null, failure: failure.code ?? failure.type }
      }
    },

    listRefunds: async (charge) => {
      // Without a payment, there are no refunds.
      if (isSession(charge)) return []
      return (await listAll(begin(), referenceOf(charge))).map((refund) => ({
        reference: refund.id,
        id: refund.metadata?.[REFUND] ?? null,
        amount: fromStripeAmount(refund.amount, charge.currency),
        state: toRefundState(refund),
      }))
    },

    listDisputes: async (charge) => (isSession(charge) ? [] : disputes.list(begin(), referenceOf(charge))),
    mayReadDisputes: disputes.mayRead,
  }

  async function createIntent(send: Send, charge: Charge): Promise<string> {
    const params: Stripe.PaymentIntentCreateParams = {
      amount: requireAmount(charge.amount, charge.currency),
      currency: charge.currency.toLowerCase(),
      payment_method: charge.token,
      capture_method: 'manual',
      // Excludes payment methods that redirect the customer to another site.
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
      description: `Order ${charge.orderNumber}`,
      metadata: metadataOf(charge),
    }
    const create = (options: Stripe.RequestOptions) => paymentIntents.create(params, options)
    const { id } = await send(create, { idempotencyKey: `${charge.id}-create` })
    return id
  }

  async function releaseIntent(send: Send, charge: Charge): Promise<number> {
    for (let tries = 0; tries < RELEASE_TRIES; tries += 1) {
      const intent = await retrieve(send, charge)
      if (intent.status === 'canceled') return 0
      if (intent.status === 'succeeded') return refundRest(send, charge, intent)
      try {
        await cancel(send, intent.id)
        return 0
      } catch (failure) {
        // The payment changed after it was read, so it is read again.
        if (!(failure instanceof StripeFailure && failure.isUnexpectedState)) throw failure
      }
    }
    throw new Error(`Stripe: ${charge.reference} can neither be cancelled nor refunded yet`)
  }

  /** Closes the page. If the customer has paid on it, releases the payment. */
  async function releaseSession(send: Send, charge: Charge): Promise<ReleasedCharge> {
    for (let tries = 0; tries < RELEASE_TRIES; tries += 1) {
      const visit = await checkout.retrieve(send, referenceOf(charge))
      if (visit.status === 'expired') return { returned: 0 }
      if (visit.status === 'complete') {
        const { id: reference } = visit.intent
        return { returned: await releaseIntent(send, { ...charge, reference }), reference }
      }
      if (await checkout.expire(send, referenceOf(charge))) return { returned: 0 }
    }
    throw new Error(`Stripe: ${charge.reference} can neither be expired nor released yet`)
  }

  async function cancel(send: Send, reference: string): Promise<void> {
    await send((options) => paymentIntents.cancel(reference, { cancellation_reason: 'abandoned' }, options))
  }

  /**
   * Whether a refusal means that no refund exists. On 404 after a repeated call, an earlier refund may exist in another
   * Stripe account.
   */
  function isEnd({ isRefusal, status }: StripeFailure, { isRepeated }: RefundInstruction): boolean {
    return isRefusal && status !== 403 && !(status === 404 && isRepeated)
  }

  /**
   * Finds a refund that an earlier call may have created, even if Stripe no longer stores the idempotency key.
   *
   * @throws if Stripe does not return the refund; its state is then unknown
   */
  async function findRefund(send: Send, order: RefundInstruction): Promise<Stripe.Refund | undefined> {
    const { id, reference, chargeReference, isRepeated } = order
    try {
      if (reference !== null) return await send((options) => refunds.retrieve(reference, {}, options))
      if (!isRepeated) return undefined
      const listed = await listAll(send, requireReference(chargeReference))
      return listed.find(({ metadata }) => metadata?.[REFUND] === id)
    } catch (failure) {
      const isRefused = failure instanceof StripeFailure && (failure.isRefusal || failure.status === 401)
      if (isRefused) log.error({ err: failure, refundId: id, reference }, 'Stripe did not return the state of a refund')
      throw failure
    }
  }

  async function listAll(send: Send, reference: string): Promise<Stripe.Refund[]> {
    const params = { payment_intent: reference, limit: 100 }
    return send((options) => refunds.list(params, options).autoPagingToArray({ limit: MAX_LISTED }))
  }

  async function createRefund(
    send: Send,
    { id, chargeReference, amount, currency }: RefundInstruction,
  ): Promise<Stripe.Refund> {
    const params: Stripe.RefundCreateParams = {
      payment_intent: requireReference(chargeReference),
      amount: requireAmount(amount, currency),
      metadata: { [REFUND]: id },
    }
    return send((options) => refunds.create(params, options), { idempotencyKey: `${id}-refund` })
  }

  /**
   * Refunds the remaining amount of a payment that was captured for a superseded attempt.
   *
   * @throws until everything is refunded
   */
  async function refundRest(send: Send, charge: Charge, intent: PaymentIntent): Promise<number> {
    const listed = await listAll(send, intent.id)
    const failed = listed.filter((refund) => toRefundState(refund).status === 'failed')
    const gone = listed.filter((refund) => !failed.includes(refund))
    const left = gone.reduce((rest, { amount }) => rest - amount, intent.amount_received)
    const made = left > 0 ? await createReturn(send, charge, { left, failures: failed.length }) : []
    for (const refund of [...gone, ...made]) {
      const { status } = toRefundState(refund)
      if (status === 'succeeded') continue
      if (status === 'failed')
        log.error({ attemptId: charge.id, refund: refund.id }, 'Stripe failed to refund a superseded charge')
      throw new Error(`Stripe: ${intent.id} is not refunded yet; its refund ${refund.id} is ${refund.status}`)
    }
    return fromStripeAmount(intent.amount_received, charge.currency)
  }

  async function createReturn(
    send: Send,
    { id, reference }: Charge,
    { left, failures }: { left: number; failures: number },
  ): Promise<Stripe.Refund[]> {
    const params = { payment_intent: requireReference(reference), amount: left, metadata: { [ATTEMPT]: id } }
    try {
      // A failed refund needs a new key, because Stripe would replay its response.
      const idempotencyKey = `${id}-return-${left}-${failures}`
      return [await send((options) => refunds.create(params, options), { idempotencyKey })]
    } catch (failure) {
      if (failure instanceof StripeFailure && failure.code === 'charge_already_refunded') return []
      if (failure instanceof StripeFailure && failure.isRefusal) {
        log.error({ err: failure, attemptId: id, reference }, 'Stripe refused to refund a superseded charge')
      }
      throw failure
    }
  }
}

function referenceOf({ reference }: Charge): string {
  return requireReference(reference)
}

function requireReference(reference: string | null): string {
  if (reference === null) throw new Error('a request to Stripe needs the id of its payment')
  return reference
}

/** @throws for a status that the service does not know */
function toState(intent: PaymentIntent): ChargeState {
  switch (intent.status) {
    case 'requires_confirmation':
      return { status: 'unconfirmed' }
    case 'requires_action':
      return { status: 'action_required', action: toAction(intent) }
    case 'processing':
      return { status: 'action_required', action: { type: 'processing' }, isCommitted: true }
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
