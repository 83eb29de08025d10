import type { ServerResponse } from 'node:http'
import { authorize, CARD_DECLINES, type Form, type Intent, metadataOf, newId, Refused } from './stripe-objects.ts'

export interface Session {
  id: string
  /** `open`, `complete` or `expired`. */
  status: string
  amount: number
  currency: string
  name: string
  orderReference: string
  email: string | null
  locale: string
  expiresAt: number
  successUrl: string
  cancelUrl: string
  metadata: Form
  intentForm: { metadata: Form; description: string }
  url: string
  intent: Intent | undefined
}

/** A payment method whose bank takes days to pay. */
const SLOW = 'pm_sepa_debit'

const MINUTE = 60

export interface FakeCheckout {
  sessions: Session[]
  create(form: Form, origin: string): object
  retrieve(id: string, form: Form): object
  expire(id: string): object
  /** Whether only an open page may change a payment. */
  isOpenFor(intent: Intent): boolean
  pay(id: string, paymentMethod: string): Intent
  /** Serves the page of a session to a browser. */
  servePage(url: URL, method: string, body: string, response: ServerResponse): void
}

/** Creates the Checkout Sessions of a fake of Stripe, and their pages. */
export function createFakeCheckout({
  now,
  addIntent,
  describeIntent,
}: {
  now(): Date
  addIntent(intent: Intent): void
  describeIntent(intent: Intent): object
}): FakeCheckout {
  const sessions: Session[] = []

  function requireSession(id: string): Session {
    const session = sessions.find((one) => one.id === id)
    if (session === undefined) throw new Refused(404, 'invalid_request_error', 'resource_missing', { param: 'session' })
    if (session.status === 'open' && session.expiresAt * 1000 <= now().getTime()) session.status = 'expired'
    return session
  }

  function describe(session: Session, form: Form = {}): object {
    const { id, status, intent } = session
    const isExpanded = Object.entries(form).some(
      ([name, value]) => name.startsWith('expand[') && value === 'payment_intent',
    )
    return {
      id,
      object: 'checkout.session',
      amount_total: session.amount,
      cancel_url: session.cancelUrl,
      client_reference_id: session.orderReference,
      currency: session.currency,
      customer_email: session.email,
      expires_at: session.expiresAt,
      livemode: false,
      locale: session.locale,
      metadata: session.metadata,
      mode: 'payment',
      payment_intent: intent === undefined ? null : isExpanded ? describeIntent(intent) : intent.id,
      // Stripe counts an amount as paid when it is captured.
      payment_status: intent?.status === 'succeeded' ? 'paid' : 'unpaid',
      status,
      success_url: session.successUrl,
      ui_mode: 'hosted_page',
      url: status === 'open' ? session.url : null,
    }
  }

  function pay(id: string, paymentMethod: string): Intent {
    const session = requireSession(id)
    if (session.status !== 'open') throw new Error(`the page is ${session.status}`)
    const intent = session.intent ?? newIntent(session)
    if (session.intent === undefined) addIntent(intent)
    session.intent = intent
    intent.paymentMethod = paymentMethod
    const decline = CARD_DECLINES[paymentMethod]
    if (decline !== undefined) {
      intent.error = { code: 'card_declined', decline_code: decline }
      return intent
    }
    session.status = 'complete'
    if (paymentMethod === SLOW) intent.status = 'processing'
    else authorize(intent)
    return intent
  }

  return {
    sessions,
    create: (form, origin) => {
      const session = toSession(form, origin, now())
      sessions.push(session)
      return describe(session)
    },
    retrieve: (id, form) => describe(requireSession(id), form),
    expire: (id) => {
      const session = requireSession(id)
      // Stripe names no code for this error.
      if (session.status !== 'open') throw new Refused(400, 'invalid_request_error', undefined)
      session.status = 'expired'
      if (session.intent !== undefined) session.intent.status = 'canceled'
      return describe(session)
    },
    isOpenFor: (intent) => sessions.some((session) => session.intent === intent && session.status === 'open'),
    pay,
    servePage: (url, method, body, response) => {
      const session = sessions.find((one) => new URL(one.url).pathname === url.pathname)
      if (session === undefined) return void response.writeHead(404).end()
      const { status } = requireSession(session.id)
      if (status !== 'open') return sendPage(response, '<p>This page has expired.</p>')
      if (method !== 'POST') return sendPage(response, formOf(session))
      const intent = pay(session.id, new URLSearchParams(body).get('card') ?? '')
      if (intent.error !== null) {
        return sendPage(response, `<p role="alert">Your card was declined.</p>${formOf(session)}`)
      }
      response.writeHead(303, { Location: session.successUrl }).end()
    },
  }
}

function newIntent({ amount, currency, intentForm }: Session): Intent {
  const id = newId('pi')
  return {
    ...{ id, amount, currency, status: 'requires_payment_method', paymentMethod: '', ...intentForm },
    ...{ clientSecret: `${id}_secret_${newId('x')}`, error: null, moves: [] },
  }
}

/** Reads the parameters of a session, and refuses what Stripe refuses. */
function toSession(form: Form, origin: string, at: Date): Session {
  const field = (name: string): string => {
    const value = form[name]
    if (value === undefined) throw new Refused(400, 'invalid_request_error', 'parameter_missing', { param: name })
    return value
  }
  const refuse = (param: string, code?: string): never => {
    throw new Refused(400, 'invalid_request_error', code, { param })
  }
  const line = 'line_items[0]'
  const amount = Number(field(`${line}[price_data][unit_amount]`)) * Number(field(`${line}[quantity]`))
  const expiresAt = Number(field('expires_at'))
  const seconds = expiresAt - at.getTime() / 1000
  const email = form['customer_email'] ?? null
  const id = newId('cs_test')
  if (field('mode') !== 'payment') refuse('mode')
  if (form['line_items[1][quantity]'] !== undefined) throw new Error('the fake supports one line only')
  if (field('payment_intent_data[capture_method]') !== 'manual')
    throw new Error('the fake supports manual capture only')
  if (field('adaptive_pricing[enabled]') !== 'false') throw new Error('the fake converts no amounts')
  if (amount < 50) refuse('line_items', 'amount_too_small')
  if (seconds < 30 * MINUTE - 1 || seconds > 24 * 60 * MINUTE) refuse('expires_at')
  // Stripe refuses some addresses that RFC 5322 allows.
  if (email?.includes('"')) refuse('customer_email', 'email_invalid')
  return {
    ...{ id, status: 'open', amount, currency: field(`${line}[price_data][currency]`), email, expiresAt },
    name: field(`${line}[price_data][product_data][name]`),
    orderReference: field('client_reference_id'),
    locale: form['locale'] ?? 'auto',
    successUrl: field('success_url'),
    cancelUrl: field('cancel_url'),
    metadata: metadataOf(form),
    intentForm: {
      metadata: metadataOf(form, 'payment_intent_data[metadata]'),
      description: form['payment_intent_data[description]'] ?? '',
    },
    url: `${origin}/c/pay/${id}`,
    intent: undefined,
  }
}

const CARDS = { pm_card_visa: 'Good card', pm_card_visa_chargeDeclined: 'Declining card', [SLOW]: 'Bank debit' }

function formOf({ name, amount, currency, cancelUrl }: Session): string {
  const cards = Object.entries(CARDS).map(
    ([value, title], index) =>
      `<p><label><input type="radio" name="card" value="${value}"${index === 0 ? ' checked' : ''}> ${title}</label></p>`,
  )
  return `<h1>${name}</h1><p>${amount} ${currency}</p>
<form method="post">${cards.join('')}<button>Pay</button></form><p><a href="${cancelUrl}">Back to the shop</a></p>`
}

function sendPage(response: ServerResponse, content: string): void {
  const head = '<!doctype html><html lang="en"><head><title>Payment</title><link rel="icon" href="data:,"></head>'
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(`${head}<body>${content}</body></html>`)
}
