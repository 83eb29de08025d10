import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { createFakeCheckout, type Session } from './stripe-checkout.ts'
import {
  authorize,
  CARD_DECLINES,
  type Form,
  type Intent,
  metadataOf,
  newId,
  Refused,
  type TestResponse,
} from './stripe-objects.ts'

export const STRIPE_KEY = 'sk_test_standin0123456789'
export const STRIPE_WEBHOOK_SECRET = 'whsec_standin0123456789'

export type StripeStep =
  | 'create'
  | 'retrieve'
  | 'confirm'
  | 'capture'
  | 'cancel'
  | 'refund'
  | 'listRefunds'
  | 'retrieveRefund'
  | 'listDisputes'
  | 'createSession'
  | 'retrieveSession'
  | 'expireSession'

/**
 * A failure of a request. `lost`: the connection closes without a response. `hang`: there is no response. A number: a
 * response with this HTTP status and an error in Stripe's format.
 */
export type Trouble = 'lost' | 'hang' | 500 | 503 | 429 | 409 | 404 | 403 | 401 | 400

export interface Gate {
  /** Resolves when a request is blocked at the gate. */
  reached: Promise<void>
  open(): void
}

export interface StripeRefund {
  id: string
  intent: string
  amount: number
  status: string
  metadata: Form
}

export interface StripeDispute {
  id: string
  intent: string
  amount: number
  currency: string
  status: string
}

export interface FakeStripe {
  /** The URL for `PLATEN_STRIPE_API_URL`. */
  url: string
  /** The settings with which a service uses the fake. */
  env: Record<string, string>
  intents: Intent[]
  refunds: StripeRefund[]
  /** The Checkout Sessions. Their pages are open to a browser. */
  sessions: Session[]
  /** The requests in order, as the name of the step and the id, such as `create` or `confirm pi_...`. */
  requests: string[]
  /**
   * Makes the next requests of a step fail. With `before`, they fail before they take effect. With `after`, they fail
   * before the response.
   */
  fail(step: StripeStep, when: 'before' | 'after', trouble: Trouble, times?: number): void
  /** Removes all failures. */
  recover(): void
  /**
   * Blocks the next request of a step until the gate is opened. With `before`, the request is blocked before it takes
   * effect. With `after`, it is blocked before the response.
   */
  hold(step: StripeStep, when: 'before' | 'after'): Gate
  /** Deletes the idempotency keys. Stripe does this after 24 hours. */
  forgetKeys(): void
  /** Completes the authentication of the customer at the bank, or makes it fail. */
  authenticate(intent: string, succeeds?: boolean): void
  /** Refunds a payment without the service, as in Stripe's dashboard. */
  refundInDashboard(intent: string, amount: number): StripeRefund
  captureInDashboard(intent: string): void
  /** Opens a dispute of a payment, as the bank of a customer does. Its status can be set afterwards. */
  dispute(intent: string): StripeDispute
  /** Pays on the page of a session, as a customer does. Returns the PaymentIntent. Throws if the page is closed. */
  payOnPage(session: string, paymentMethod?: string): Intent
  /** Completes or fails a payment that its bank processes for days. */
  finishProcessing(intent: string, succeeds: boolean): void
  /** Sets the clock by which sessions expire. */
  useClock(clock: { now(): Date }): void
  /** Makes the request that Stripe sends for an event about this object. */
  event(type: string, object: object, options?: { secret?: string; at?: Date }): { body: string; headers: Form }
  /** Sums all captured and all refunded amounts, in minor units as Stripe counts them. */
  ledger(): { captured: number; refunded: number }
}

const NEEDS_AUTHENTICATION = 'pm_card_threeDSecure2Required'
const PENDING_REFUND = 'pm_card_pendingRefund'

/**
 * Starts a fake of Stripe's card payments: PaymentIntents and Refunds in the wire format of Stripe, with idempotency
 * keys, errors, and signed events. The names of payment methods are those of Stripe's test mode.
 */
export async function startStripe(t: TestContext): Promise<FakeStripe> {
  const intents: Intent[] = []
  const refunds: StripeRefund[] = []
  const disputes: StripeDispute[] = []
  const requests: string[] = []
  const troubles: { step: StripeStep; when: 'before' | 'after'; trouble: Trouble }[] = []
  const gates: { step: StripeStep; when: 'before' | 'after'; come(): void; opened: Promise<void> }[] = []
  let clock = { now: () => new Date() }
  const checkout = createFakeCheckout({
    now: () => clock.now(),
    addIntent: (intent) => void intents.push(intent),
    describeIntent: describe,
  })
  const keys = new Map<string, { request: string; answer: TestResponse | undefined }>()

  function requireIntent(id: string): Intent {
    const intent = intents.find((one) => one.id === id)
    if (intent === undefined) throw new Refused(404, 'invalid_request_error', 'resource_missing', { param: 'intent' })
    return intent
  }

  function requireStatus(intent: Intent, ...statuses: string[]): void {
    if (statuses.includes(intent.status)) return
    const more = { payment_intent: describe(intent) }
    throw new Refused(400, 'invalid_request_error', 'payment_intent_unexpected_state', more)
  }

  const refundedOf = (id: string): number =>
    refunds
      .filter(({ intent, status }) => intent === id && status !== 'failed')
      .reduce((total, { amount }) => total + amount, 0)

  function makeRefund(intent: Intent, amount: number, metadata: Form): StripeRefund {
    if (intent.status !== 'succeeded') {
      throw new Refused(400, 'invalid_request_error', 'payment_intent_unexpected_state')
    }
    const left = intent.amount - refundedOf(intent.id)
    if (left === 0) throw new Refused(400, 'invalid_request_error', 'charge_already_refunded')
    if (amount > left) throw new Refused(400, 'invalid_request_error', undefined, { param: 'amount' })
    const status = intent.paymentMethod === PENDING_REFUND ? 'pending' : 'succeeded'
    const refund = { id: newId('re'), intent: intent.id, amount, status, metadata }
    refunds.push(refund)
    return refund
  }

  const steps: Record<StripeStep, (id: string, form: Form) => object> = {
    create: (_, form) => {
      const paymentMethod = form['payment_method'] ?? ''
      if (!paymentMethod.startsWith('pm_card_')) {
        throw new Refused(400, 'invalid_request_error', 'resource_missing', { param: 'payment_method' })
      }
      const amount = Number(form['amount'])
      if (amount < 50) throw new Refused(400, 'invalid_request_error', 'amount_too_small', { param: 'amount' })
      if (form['capture_method'] !== 'manual') throw new Error('the fake supports manual capture only')
      const id = newId('pi')
      const intent: Intent = {
        id,
        amount,
        currency: form['currency'] ?? '',
        status: 'requires_confirmation',
        paymentMethod,
        metadata: metadataOf(form),
        description: form['description'] ?? '',
        clientSecret: `${id}_secret_${randomBytes(12).toString('hex')}`,
        error: null,
        moves: [],
      }
      intents.push(intent)
      return describe(intent)
    },
    retrieve: (id) => describe(requireIntent(id)),
    confirm: (id, form) => {
      const intent = requireIntent(id)
      // Without this parameter, Stripe requires a return URL for the authentication at the bank.
      if (form['use_stripe_sdk'] !== 'true') {
        throw new Refused(400, 'invalid_request_error', 'parameter_missing', { param: 'return_url' })
      }
      requireStatus(intent, 'requires_confirmation', 'requires_payment_method')
      const decline = CARD_DECLINES[intent.paymentMethod]
      if (decline !== undefined) {
        intent.status = 'requires_payment_method'
        intent.error = { code: 'card_declined', decline_code: decline }
        const more = { decline_code: decline, payment_intent: describe(intent) }
        throw new Refused(402, 'card_error', 'card_declined', more)
      }
      if (intent.paymentMethod === NEEDS_AUTHENTICATION) intent.status = 'requires_action'
      else authorize(intent)
      return describe(intent)
    },
    capture: (id) => {
      const intent = requireIntent(id)
      requireStatus(intent, 'requires_capture')
      capture(intent)
      return describe(intent)
    },
    cancel: (id) => {
      const intent = requireIntent(id)
      if (checkout.isOpenFor(intent)) {
        throw new Refused(400, 'invalid_request_error', undefined)
      }
      requireStatus(intent, 'requires_payment_method', 'requires_confirmation', 'requires_action', 'requires_capture')
      if (intent.status === 'requires_capture') intent.moves.push('void')
      intent.status = 'canceled'
      return describe(intent)
    },
    refund: (_, form) => {
      const intent = requireIntent(form['payment_intent'] ?? '')
      const amount = form['amount'] === undefined ? intent.amount - refundedOf(intent.id) : Number(form['amount'])
      return describeRefund(makeRefund(intent, amount, metadataOf(form)))
    },
    listRefunds: (_, form) => {
      requireIntent(form['payment_intent'] ?? '')
      const data = refunds.filter(({ intent }) => intent === form['payment_intent']).map(describeRefund)
      return { object: 'list', url: '/v1/refunds', has_more: false, data }
    },
    retrieveRefund: (id) => {
      const refund = refunds.find((one) => one.id === id)
      if (refund === undefined) throw new Refused(404, 'invalid_request_error', 'resource_missing')
      return describeRefund(refund)
    },
    listDisputes: (_, { payment_intent: wanted }) => {
      if (wanted !== undefined) requireIntent(wanted)
      const data = disputes.filter(({ intent }) => wanted === undefined || intent === wanted).map(describeDispute)
      return { object: 'list', url: '/v1/disputes', has_more: false, data }
    },
    createSession: (_, form) => checkout.create(form, url),
    retrieveSession: (id, form) => checkout.retrieve(id, form),
    expireSession: (id) => checkout.expire(id),
  }

  function run(step: StripeStep, id: string, form: Form): TestResponse {
    try {
      return { status: 200, body: steps[step](id, form) }
    } catch (error) {
      if (error instanceof Refused) return error.answer
      throw error
    }
  }

  function takeTrouble(step: StripeStep, when: 'before' | 'after'): Trouble | undefined {
    const index = troubles.findIndex((one) => one.step === step && one.when === when)
    return index < 0 ? undefined : troubles.splice(index, 1)[0]?.trouble
  }

  async function pass(step: StripeStep, when: 'before' | 'after'): Promise<void> {
    const index = gates.findIndex((one) => one.step === step && one.when === when)
    const [gate] = index < 0 ? [] : gates.splice(index, 1)
    gate?.come()
    await gate?.opened
  }

  /**
   * Executes a request and applies the configured failure. Requests with the same idempotency key are executed once.
   */
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(request)
    const url = new URL(request.url ?? '', 'http://stripe.test')
    if (url.pathname.startsWith('/c/pay/')) return checkout.servePage(url, request.method ?? '', text, response)
    const found = findStep(request.method ?? '', url.pathname)
    if (request.headers.authorization !== `Bearer ${STRIPE_KEY}`) {
      return send(response, new Refused(401, 'invalid_request_error', undefined).answer)
    }
    if (found === undefined) return send(response, new Refused(404, 'invalid_request_error', undefined).answer)
    const { step, id } = found
    requests.push(id === '' ? step : `${step} ${id}`)
    if (request.method === 'POST' && text !== '') {
      const type = request.headers['content-type'] ?? ''
      if (!type.startsWith('application/x-www-form-urlencoded')) throw new Error(`the fake does not support ${type}`)
    }
    const form = Object.fromEntries(new URLSearchParams(request.method === 'GET' ? url.search : text))
    const key = request.headers['idempotency-key']
    const kept = typeof key === 'string' ? keys.get(key) : undefined
    const fingerprint = `${request.method} ${url.pathname} ${text}`
    if (kept !== undefined && kept.request !== fingerprint) {
      return send(response, new Refused(400, 'idempotency_error', undefined).answer)
    }
    if (kept?.answer !== undefined) {
      const again = takeTrouble(step, 'after')
      if (again !== undefined) return trouble(request, response, again)
      return send(response, kept.answer, { 'Idempotent-Replayed': 'true' })
    }
    if (kept !== undefined)
      return send(response, new Refused(409, 'invalid_request_error', 'idempotency_key_in_use').answer)
    const entry = { request: fingerprint, answer: undefined as TestResponse | undefined }
    if (typeof key === 'string') keys.set(key, entry)

    await pass(step, 'before')
    const early = takeTrouble(step, 'before')
    if (early === 'lost' || early === 'hang' || (early !== undefined && early !== 500)) {
      // The request had no effect, so the fake stores no result for the key.
      if (typeof key === 'string') keys.delete(key)
      return trouble(request, response, early)
    }
    const answer = early === 500 ? failure(500) : run(step, id, form)
    entry.answer = answer
    await pass(step, 'after')
    const late = takeTrouble(step, 'after')
    if (late !== undefined) return trouble(request, response, late)
    send(response, answer)
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    url,
    env: {
      PLATEN_PAYMENT_PROVIDER: 'stripe',
      PLATEN_STRIPE_SECRET_KEY: STRIPE_KEY,
      PLATEN_STRIPE_WEBHOOK_SECRET: STRIPE_WEBHOOK_SECRET,
      PLATEN_STRIPE_API_URL: url,
    },
    intents,
    refunds,
    sessions: checkout.sessions,
    requests,
    fail: (step, when, trouble, times = 1) => {
      for (let count = 0; count < times; count += 1) troubles.push({ step, when, trouble })
    },
    recover: () => {
      troubles.length = 0
    },
    hold: (step, when) => {
      const reached = Promise.withResolvers<void>()
      setTimeout(() => reached.reject(new Error(`no request of the step ${step} arrived within 60 s`)), 60_000).unref()
      const opened = Promise.withResolvers<void>()
      reached.promise.catch(() => undefined)
      const gate = { step, when, come: reached.resolve, opened: opened.promise }
      gates.push(gate)
      const open = () => {
        if (gates.includes(gate)) gates.splice(gates.indexOf(gate), 1)
        opened.resolve()
      }
      return { reached: reached.promise, open }
    },
    forgetKeys: () => keys.clear(),
    authenticate: (id, succeeds = true) => {
      const intent = requireIntent(id)
      requireStatus(intent, 'requires_action')
      if (succeeds) return authorize(intent)
      intent.status = 'requires_payment_method'
      intent.error = { code: 'payment_intent_authentication_failure' }
    },
    refundInDashboard: (id, amount) => makeRefund(requireIntent(id), amount, {}),
    captureInDashboard: (id) => capture(requireIntent(id)),
    dispute: (id) => {
      const { amount, currency } = requireIntent(id)
      const dispute = { id: newId('dp'), intent: id, amount, currency, status: 'needs_response' }
      disputes.push(dispute)
      return dispute
    },
    payOnPage: (id, paymentMethod = 'pm_card_visa') => checkout.pay(id, paymentMethod),
    finishProcessing: (id, succeeds) => {
      const intent = requireIntent(id)
      requireStatus(intent, 'processing')
      if (succeeds) return capture(intent)
      intent.status = 'requires_payment_method'
      intent.error = { code: 'card_declined', decline_code: 'generic_decline' }
    },
    useClock: (other) => {
      clock = other
    },
    event: (type, object, { secret = STRIPE_WEBHOOK_SECRET, at = new Date() } = {}) => {
      const created = Math.floor(at.getTime() / 1000)
      const event = { id: newId('evt'), object: 'event', api_version: '2026-10-28.endive', created, type }
      const body = JSON.stringify({ ...event, livemode: false, data: { object } })
      const signature = createHmac('sha256', secret).update(`${created}.${body}`).digest('hex')
      const headers = { 'content-type': 'application/json', 'stripe-signature': `t=${created},v1=${signature}` }
      return { body, headers }
    },
    ledger: () => ({
      captured: intents
        .flatMap(({ moves, amount }) => moves.filter((move) => move === 'capture').map(() => amount))
        .reduce((total, amount) => total + amount, 0),
      refunded: refunds.filter(({ status }) => status !== 'failed').reduce((total, { amount }) => total + amount, 0),
    }),
  }
}

function capture(intent: Intent): void {
  intent.status = 'succeeded'
  intent.moves.push('capture')
}

function describe(intent: Intent): object {
  const { id, amount, received = amount, currency, status, metadata, description, clientSecret, error } = intent
  return {
    id,
    object: 'payment_intent',
    amount,
    amount_capturable: status === 'requires_capture' ? amount : 0,
    amount_received: status === 'succeeded' ? received : 0,
    capture_method: 'manual',
    client_secret: clientSecret,
    currency,
    description,
    last_payment_error: error === null ? null : { type: 'card_error', ...error },
    livemode: false,
    metadata,
    next_action: status === 'requires_action' ? { type: 'use_stripe_sdk', use_stripe_sdk: {} } : null,
    payment_method: intent.paymentMethod,
    status,
  }
}

function describeRefund({ id, intent, amount, status, metadata }: StripeRefund): object {
  const failure = status === 'failed' ? { failure_reason: 'lost_or_stolen_card' } : {}
  return { id, object: 'refund', amount, payment_intent: intent, status, metadata, ...failure }
}

function describeDispute({ id, intent, amount, currency, status }: StripeDispute): object {
  return {
    id,
    object: 'dispute',
    amount,
    balance_transactions: [],
    currency,
    is_charge_refundable: status.startsWith('warning_'),
    livemode: false,
    metadata: {},
    payment_intent: intent,
    reason: 'fraudulent',
    status,
  }
}

const ROUTES: readonly [method: string, path: RegExp, step: StripeStep][] = [
  ['POST', /^\/v1\/payment_intents$/, 'create'],
  ['GET', /^\/v1\/payment_intents\/(\w+)$/, 'retrieve'],
  ['POST', /^\/v1\/payment_intents\/(\w+)\/confirm$/, 'confirm'],
  ['POST', /^\/v1\/payment_intents\/(\w+)\/capture$/, 'capture'],
  ['POST', /^\/v1\/payment_intents\/(\w+)\/cancel$/, 'cancel'],
  ['POST', /^\/v1\/refunds$/, 'refund'],
  ['GET', /^\/v1\/refunds$/, 'listRefunds'],
  ['GET', /^\/v1\/refunds\/(\w+)$/, 'retrieveRefund'],
  ['GET', /^\/v1\/disputes$/, 'listDisputes'],
  ['POST', /^\/v1\/checkout\/sessions$/, 'createSession'],
  ['GET', /^\/v1\/checkout\/sessions\/(\w+)$/, 'retrieveSession'],
  ['POST', /^\/v1\/checkout\/sessions\/(\w+)\/expire$/, 'expireSession'],
]

function findStep(method: string, path: string): { step: StripeStep; id: string } | undefined {
  for (const [wanted, pattern, step] of ROUTES) {
    const match = wanted === method ? pattern.exec(path) : null
    if (match !== null) return { step, id: match[1] ?? '' }
  }
  return undefined
}

function failure(status: number): TestResponse {
  if (status === 409) return new Refused(409, 'invalid_request_error', 'lock_timeout').answer
  if (status === 429) return new Refused(429, 'invalid_request_error', 'rate_limit').answer
  return new Refused(status, 'api_error', undefined).answer
}

function trouble(request: IncomingMessage, response: ServerResponse, kind: Trouble): void {
  if (kind === 'hang') return
  if (kind === 'lost') return void request.socket.destroy()
  send(response, failure(kind))
}

function send(response: ServerResponse, { status, body }: TestResponse, headers: Record<string, string> = {}): void {
  // This header prevents the automatic retry of Stripe's package, which would wait for half a second.
  const advice = { 'Stripe-Should-Retry': 'false', 'Request-Id': newId('req') }
  response.writeHead(status, { 'Content-Type': 'application/json', ...advice, ...headers }).end(JSON.stringify(body))
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
