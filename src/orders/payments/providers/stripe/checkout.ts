import { createHash } from 'node:crypto'
import type { Stripe } from 'stripe'
import type { Charge, Payer } from '../provider.ts'
import { requireAmount } from './amounts.ts'
import { StripeFailure } from './errors.ts'
import { metadataOf } from './metadata.ts'
import type { Send } from './time-budget.ts'

/** Token of attempts for which the customer pays on the page of Stripe. No id of a payment method has this form. */
export const CHECKOUT = 'checkout'

/** Languages of the page. For other languages, the browser decides. */
const LOCALES =
  'bg cs da de el en en-GB es es-419 et fi fil fr fr-CA hr hu id it ja ko lt lv ms mt nb nl pl pt pt-BR ro ru sk sl sv th tr vi zh zh-HK zh-TW'.split(
    ' ',
  )

export type Visit =
  | { status: 'open'; url: string }
  | { status: 'expired' }
  /** The customer has paid or authorized the amount, or a payment of several days has begun. */
  | { status: 'complete'; intent: Stripe.PaymentIntent }

/** Checkout Sessions: each is a page of Stripe on which the customer pays one order once. */
export interface Checkout {
  /** Creates a page, or returns the one that an earlier call has created for the same charge. Returns its id. */
  create(send: Send, charge: Charge, options: { payer: Payer; until: Date }): Promise<string>
  retrieve(send: Send, reference: string): Promise<Visit>
  /** Closes an open page. Returns false if the page is not open any more. */
  expire(send: Send, reference: string): Promise<boolean>
}

export interface CheckoutOptions {
  /** The page of an order is `/orders/{id}` below this URL. */
  shopUrl: string
  /** Whether pages may be without TLS, because Stripe itself is a fake on this computer. */
  allowsHttp: boolean
}

/** Whether the id of a charge is that of a Checkout Session. Its PaymentIntent exists only once the customer pays. */
export function isSession({ reference }: Pick<Charge, 'reference'>): boolean {
  return reference?.startsWith('cs_') === true
}

export function createCheckout(stripe: Stripe, { shopUrl, allowsHttp }: CheckoutOptions): Checkout {
  const { sessions } = stripe.checkout

  function paramsOf(charge: Charge, { payer, until }: { payer: Payer; until: Date }) {
    const page = `${shopUrl}/orders/${charge.orderId}`
    const locale = localeOf(payer.locale)
    const name = `${locale === 'de' ? 'Bestellung' : 'Order'} ${charge.orderNumber}`
    const price: Stripe.Checkout.SessionCreateParams.LineItem.PriceData = {
      currency: charge.currency.toLowerCase(),
      unit_amount: requireAmount(charge.amount, charge.currency),
      product_data: { name },
    }
    return {
      mode: 'payment',
      // One line with the total, because the service alone computes taxes and shipping.
      line_items: [{ quantity: 1, price_data: price }],
      // Stripe would convert the amount to the currency of the customer.
      adaptive_pricing: { enabled: false },
      client_reference_id: charge.orderId,
      metadata: metadataOf(charge),
      payment_intent_data: {
        capture_method: 'manual',
        description: `Order ${charge.orderNumber}`,
        metadata: metadataOf(charge),
      },
      success_url: `${page}?payment=returned`,
      cancel_url: `${page}?payment=left`,
      expires_at: Math.floor(until.getTime() / 1000),
      locale,
      ...(payer.email === null ? {} : { customer_email: payer.email }),
    } satisfies Stripe.Checkout.SessionCreateParams
  }

  /** @throws if the page is not on the web, so that clients cannot be led to a script */
  function requirePage(url: string | null): string {
    const protocol = url === null ? undefined : URL.parse(url)?.protocol
    if (url !== null && (protocol === 'https:' || (protocol === 'http:' && allowsHttp))) return url
    throw new Error('Stripe: an open Checkout Session has no page')
  }

  return {
    create: async (send, charge, options) => {
      const params = paramsOf(charge, options)
      const create = async (all: Stripe.Checkout.SessionCreateParams) => {
        const idempotencyKey = `${charge.id}-checkout-${digest(all)}`
        return (await send((request) => sessions.create(all, request), { idempotencyKey })).id
      }
      try {
        return await create(params)
      } catch (failure) {
        // Stripe accepts fewer email addresses than the service. The customer can then enter another one.
        if (!(failure instanceof StripeFailure && failure.parameter === 'customer_email')) throw failure
        const { customer_email: _, ...rest } = params
        return create(rest)
      }
    },

    retrieve: async (send, reference) => {
      const {
        status,
        url,
        payment_intent: intent,
      } = await send((options) => sessions.retrieve(reference, { expand: ['payment_intent'] }, options))
      if (status === 'open') return { status: 'open', url: requirePage(url) }
      if (status === 'expired') return { status: 'expired' }
      if (status === 'complete' && intent !== null && typeof intent === 'object') return { status: 'complete', intent }
      throw new Error(`Stripe: ${reference} is ${status} without a payment`)
    },

    expire: async (send, reference) => {
      try {
        await send((options) => sessions.expire(reference, {}, options))
        return true
      } catch (failure) {
        if (failure instanceof StripeFailure && failure.status === 400) return false
        throw failure
      }
    },
  }
}

/**
 * Stripe refuses an idempotency key with other parameters. They change if the customer, for example, chooses another
 * language. No customer has got the page of the earlier call, because its id was not stored.
 */
function digest(params: object): string {
  return createHash('sha256').update(JSON.stringify(params)).digest('hex').slice(0, 32)
}

function localeOf(locale: string | null): string {
  if (locale === null) return 'auto'
  const wanted = locale.toLowerCase()
  const [language] = wanted.split('-')
  const find = (name: string | undefined) => LOCALES.find((one) => one.toLowerCase() === name)
  return find(wanted) ?? find(language) ?? 'auto'
}
