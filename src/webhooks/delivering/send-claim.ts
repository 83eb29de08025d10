import type { WebhookDeps } from '../context.ts'
import { toAttempt } from '../deliveries/attempt.ts'
import { headersOf, timestampOf } from '../deliveries/message.ts'
import { openSecrets, signatureOf } from '../endpoints/secrets.ts'
import type { Result } from './record-results.ts'
import type { Claim } from './store.ts'

/**
 * Posts what was claimed, signed.
 *
 * @returns undefined where nothing is known of it, since the service stops
 */
export async function sendClaim(
  { sender, box, clock }: Pick<WebhookDeps, 'sender' | 'box' | 'clock'>,
  claim: Claim,
): Promise<Result | undefined> {
  const { endpointId, eventId, url, body } = claim
  const at = clock.now()
  if (claim.isForbidden) return notSent(claim, at, 'not_permitted', 'Its owner may not see the event any more.')
  if (body === undefined) return notSent(claim, at, 'event_expired', 'The event is not kept any more.')
  const keys = openSecrets(box, endpointId, claim, at)
  const signature = signatureOf(keys, { id: eventId, timestamp: timestampOf({ at }), body })
  const outcome = await sender.send({ url, headers: headersOf({ eventId, at }, signature), body })
  if (outcome.kind === 'failed' && outcome.error === 'closed') return undefined
  return { claim, attempt: toAttempt(outcome, { at, url, signature }), isSent: true }
}

function notSent(claim: Claim, at: Date, error: string, detail: string): Result {
  const outcome = { at: at.toISOString(), durationMs: 0, url: claim.url, error, detail }
  return { claim, attempt: outcome, isSent: false }
}
