import { traced } from '../../platform/telemetry/span.ts'
import { readTraceparent, toTraceparent } from '../../platform/telemetry/traceparent.ts'
import type { WebhookDeps } from '../context.ts'
import { maskUrl, toAttempt } from '../deliveries/attempt.ts'
import { headersOf, timestampOf } from '../deliveries/message.ts'
import { openSecrets, signatureOf } from '../endpoints/secrets.ts'
import type { SendOutcome } from '../transport/index.ts'
import type { Result } from './record-results.ts'
import type { Claim } from './store.ts'

/**
 * Signs a claimed delivery and sends it.
 *
 * @returns undefined if the outcome is unknown because the service is stopping
 */
export async function sendClaim(
  { log, sender, box, clock }: Pick<WebhookDeps, 'log' | 'sender' | 'box' | 'clock'>,
  claim: Claim,
): Promise<Result | undefined> {
  const { endpointId, eventId, url } = claim
  const body = claim.body?.text
  const at = clock.now()
  if (claim.isForbidden)
    return notSent(claim, at, 'not_permitted', 'The owner of the endpoint may no longer see the event.')
  if (body === undefined) return notSent(claim, at, 'event_expired', 'The event is no longer retained.')
  const keys = tryToOpen(box, claim, at)
  if (keys instanceof Error) {
    log.error({ err: keys, endpointId }, 'the secret of a webhook endpoint cannot be decrypted')
    const failed = notSent(
      claim,
      at,
      'secret_unreadable',
      'The service cannot decrypt the secret of the endpoint. Rotate the secret.',
    )
    return { ...failed, isFinal: false }
  }
  const signature = signatureOf(keys, { id: eventId, timestamp: timestampOf({ at }), body })
  const outcome = await sendTraced(claim, (headers) =>
    sender.send({ url, headers: { ...headersOf({ eventId, at }, signature), ...headers }, body, share: claim.share }),
  )
  if (outcome.kind === 'failed' && outcome.error === 'closed') return undefined
  return { claim, attempt: toAttempt(outcome, { at, url, signature }), isSent: true, isFinal: false }
}

/** Sends a request in a span of the trace that caused the event. The receiver can continue the trace. */
function sendTraced(
  { deliveryId, tries, traceparent }: Claim,
  send: (headers: Record<string, string>) => Promise<SendOutcome>,
): Promise<SendOutcome> {
  const attributes = {
    'http.request.method': 'POST',
    'platen.webhook.delivery': deliveryId,
    'http.request.resend_count': tries === 0 ? undefined : tries,
  }
  const parent = readTraceparent(traceparent)
  return traced('POST webhook', { kind: 'client', isRoot: true, parent, attributes }, async (span) => {
    const outcome = await send(span === undefined ? {} : { traceparent: toTraceparent(span) })
    if (outcome.kind === 'failed') span?.fail(outcome.error)
    else span?.set({ 'http.response.status_code': outcome.status })
    return outcome
  })
}

function notSent(claim: Claim, at: Date, error: string, detail: string): Result {
  const attempt = { at: at.toISOString(), durationMs: 0, url: maskUrl(claim.url), error, detail }
  return { claim, attempt, isSent: false, isFinal: true }
}

/**
 * Decrypts the secrets of an endpoint. Returns an error if they were encrypted with the secret of another installation.
 */
function tryToOpen(box: WebhookDeps['box'], claim: Claim, at: Date): Buffer[] | Error {
  try {
    return openSecrets(box, claim.endpointId, claim, at)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
