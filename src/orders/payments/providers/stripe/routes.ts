import { Type } from 'typebox'
import type { Db } from '../../../../platform/db/index.ts'
import { publicRoute } from '../../../../platform/http/core/guard.ts'
import { httpProblems } from '../../../../platform/http/core/problems.ts'
import type { App } from '../../../../platform/http/server.ts'
import type { DisputeEnd } from '../../../order/disputes.ts'
import { type ChargeToCheck, scheduleCheck } from '../../attempts/schedule-check.ts'
import { recordPaymentWebhook } from '../../webhooks/webhook-state.ts'
import { disputeEndOf } from './dispute-ends.ts'
import { attemptIn } from './metadata.ts'
import { stripeProblems } from './problems.ts'
import { STRIPE } from './provider.ts'

interface StripeEvent {
  type: string
  object: unknown
}

/**
 * Verifies and reads a message of Stripe. Returns undefined if the signature is not Stripe's, or is older than 5
 * minutes.
 */
export type ReadStripeEvent = (body: Buffer, signature: string) => StripeEvent | undefined

/** A message contains one object of Stripe. The largest objects have some ten thousand bytes. */
const BODY_BYTES = 256 * 1024

const TOPICS = /^(payment_intent|charge|refund|checkout\.session)\./

const ReceivedBody = Type.Object(
  { received: Type.Literal(true) },
  { additionalProperties: false, title: 'StripeEventReceived' },
)

export function stripeRoutes(app: App, deps: { db: Db; readEvent: ReadStripeEvent | undefined }): void {
  app.register(async (scope: App) => {
    // The signature covers the bytes of the body, so they must not be parsed before Stripe's package has verified it.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (_request: unknown, body: Buffer) => body,
    )

    scope.post(
      '/payments/stripe/webhook',
      {
        // The route needs no credential, because the signature authenticates the sender.
        onRequest: publicRoute,
        bodyLimit: BODY_BYTES,
        config: { countedAs: 'incoming', worksWhenDiskIsFull: true, anonymousBodyBytes: BODY_BYTES },
        schema: {
          operationId: 'receiveStripeEvent',
          problems: [httpProblems.body_too_large, stripeProblems.stripe_signature_invalid],
          tags: ['Orders'],
          summary: 'Receive an event from Stripe',
          description:
            'The URL of a Stripe webhook endpoint for the events `payment_intent.*`, `checkout.session.*`, `charge.*` and `refund.*`. The service reads the current state from Stripe instead of trusting the message, so messages may arrive late, twice or in any order.',
          response: { 200: ReceivedBody },
        },
      },
      async (request) => {
        const { body } = request
        const signature = request.headers['stripe-signature']
        const isSigned = Buffer.isBuffer(body) && typeof signature === 'string'
        const event = isSigned ? deps.readEvent?.(body, signature) : undefined
        if (event === undefined) throw stripeProblems.stripe_signature_invalid()
        await recordPaymentWebhook(deps.db, STRIPE)
        const charge = chargeIn(event)
        if (charge !== undefined) await scheduleCheck(deps.db, { provider: STRIPE, ...charge })
        return { received: true as const }
      },
    )
  })
}

/**
 * Returns the PaymentIntent or Checkout Session that a Stripe event is about. The object of the event is the
 * PaymentIntent or the session itself, or a charge, refund or dispute that names its PaymentIntent. Events about either
 * one also name the attempt, because they may arrive before the service knows the PaymentIntent of a session.
 */
function chargeIn({ type, object }: StripeEvent): Omit<ChargeToCheck, 'provider'> | undefined {
  if (!TOPICS.test(type) || typeof object !== 'object' || object === null) return undefined
  const { id, payment_intent: owner, metadata } = object as Record<string, unknown>
  const reference = /^(payment_intent|checkout\.session)\./.test(type) ? id : owner
  if (typeof reference !== 'string' || !/^(pi|cs)_\w{1,200}$/.test(reference)) return undefined
  const attemptId = attemptIn(metadata)
  const charge = attemptId === undefined ? { reference } : { reference, attemptId }
  if (type === 'charge.dispute.created') return { ...charge, dispute: String(id) }
  return type === 'charge.dispute.closed' ? { ...charge, dispute: String(id), disputeEnd: endIn(object) } : charge
}

/** The type of the event says that the dispute has ended, so an unknown status is an end without a decision. */
function endIn(dispute: object): DisputeEnd {
  const { status } = dispute as { status?: unknown }
  return disputeEndOf(String(status)) ?? 'closed'
}
