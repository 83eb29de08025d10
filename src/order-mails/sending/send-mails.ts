import { createHash, randomUUID } from 'node:crypto'
import { findOrder } from '../../orders/index.ts'
import { keepLease } from '../../platform/db/locking/leases.ts'
import type { JobAttempt } from '../../platform/jobs/jobs.ts'
import { keepMessage } from '../../platform/messages/mail.ts'
import { isMailboxUnknown } from '../../platform/messages/smtp.ts'
import { type ComposedMail, composeMail } from '../content/compose-mail.ts'
import type { OrderMailDeps } from '../context.ts'
import {
  type Claim,
  claimNext,
  endMail,
  findOrderOf,
  LEASE_SECONDS,
  type Outcome,
  releaseClaim,
  renewClaim,
} from '../store.ts'
import { findRecipient } from './recipient.ts'
import { enqueueSending } from './send-job.ts'

/** Mails that could not be sent for so long would only confuse. The messages of the outbox are stored as long. */
const MAX_AGE_SECONDS = 7 * 86_400

const UNPAID: readonly string[] = ['pending', 'failed']

/**
 * Sends the waiting mails of an order in the order of their causes. After an error, the job runs again with increasing
 * pauses, and later mails of the order wait. After the last attempt, the mail is given up, and the next one follows.
 */
export async function sendMails(
  deps: OrderMailDeps,
  orderId: string,
  { isFirst = true, isLast, signal }: JobAttempt = { isLast: false },
): Promise<void> {
  const { db } = deps
  while (signal?.aborted !== true) {
    const claim = await claimNext(db, { orderId, token: randomUUID() })
    if (claim === undefined) return
    if ('heldUntil' in claim) {
      // The other process goes on to the next mails. If it was killed, its lease ends then.
      await enqueueSending(db, [orderId], claim.heldUntil)
      return
    }
    await sendClaim(deps, claim, isFirst).catch(async (error: unknown) => {
      if (!isLast) {
        await releaseClaim(db, claim)
        throw error
      }
      await endMail(db, claim, { status: 'failed' }, deps.clock.now())
      const { kind } = claim
      deps.log.error({ err: error, orderId, kind }, 'a mail about an order could not be sent and is given up')
    })
    // Another job sends the next mails, with attempts of its own.
    if (isLast) break
  }
  await enqueueSending(db, [orderId])
}

async function sendClaim(deps: OrderMailDeps, claim: Claim, isCounted: boolean): Promise<void> {
  const { db, log } = deps
  const { orderId, kind } = claim
  const endLease = keepLease({
    everyMs: (LEASE_SECONDS * 1000) / 3,
    renew: () => renewClaim(db, claim),
    onError: (error) => log.warn({ err: error, orderId }, 'the lease of a mail could not be renewed'),
  })
  try {
    const outcome = await send(deps, claim, isCounted)
    if (outcome.status === 'skipped') log.debug({ orderId, kind, reason: outcome.reason }, 'a mail was skipped')
  } finally {
    endLease()
  }
}

/** @param isCounted whether the mail counts towards the limits of mails to strangers. Further attempts do not. */
async function send(deps: OrderMailDeps, claim: Claim, isCounted: boolean): Promise<Outcome> {
  const { db, clock } = deps
  const skip = (reason: Extract<Outcome, { reason: unknown }>['reason']) =>
    end(deps, claim, { status: 'skipped', reason })
  if (!deps.config.orderMails) return skip('mails_off')
  if (clock.now().getTime() - claim.createdAt.getTime() > MAX_AGE_SECONDS * 1000) return skip('too_old')
  const [past, order] = [await findOrderOf(db, claim.eventId), await findOrder(db, { id: claim.orderId })]
  if (past === undefined || order === undefined) return skip('event_not_retained')
  const recipient = await findRecipient(db, order)
  if ('skip' in recipient) return skip(recipient.skip)
  const { email, isConfirmed } = recipient
  // What costs nothing could flood strangers with mails. A paid order is worth more than its mails.
  const isFree = UNPAID.includes(past.payment.status)
  if (isCounted && isFree && !isConfirmed && !(await deps.mayMailUnconfirmed({ email, senderId: order.ownerId }))) {
    return skip('too_many')
  }
  const mail = await composeMail(deps, claim, { order, past, locale: recipient.locale })
  return deps.send === undefined ? keepInOutbox(deps, claim, mail) : sendBySmtp(deps, claim, mail, deps.send)
}

/** Adds the mail to the outbox and ends it in one transaction, so that it is there exactly once. */
async function keepInOutbox({ db, clock }: OrderMailDeps, claim: Claim, mail: ComposedMail): Promise<Outcome> {
  const at = clock.now()
  return db.transaction().execute(async (trx) => {
    const order = await findOrder(trx, { id: claim.orderId })
    if (order === undefined) throw new Error(`order ${claim.orderId} disappeared`)
    const recipient = await findRecipient(trx, order, { isLocked: true })
    const outcome: Outcome =
      'skip' in recipient
        ? { status: 'skipped', reason: recipient.skip }
        : { status: 'sent', to: recipient.email, isInOutbox: true }
    const isOurs = await endMail(trx, claim, outcome, at)
    if (isOurs && 'email' in recipient) {
      const { subject, text, html, pictures } = mail
      const content = { kind: claim.kind, subject, text, html, pictures, about: claim.orderId }
      await keepMessage(trx, { channel: 'email', to: recipient.email, ...content }, at)
    }
    return outcome
  })
}

/**
 * Sends the mail, then ends it. If the process is killed in between, another one sends it again, with the same
 * `Message-ID`.
 */
async function sendBySmtp(
  deps: OrderMailDeps,
  claim: Claim,
  { subject, text, html, pictures }: ComposedMail,
  sendMail: NonNullable<OrderMailDeps['send']>,
): Promise<Outcome> {
  // The customer may have been erased while the pictures were drawn.
  const order = await findOrder(deps.db, { id: claim.orderId })
  if (order === undefined) throw new Error(`order ${claim.orderId} disappeared`)
  const recipient = await findRecipient(deps.db, order)
  if ('skip' in recipient) return end(deps, claim, { status: 'skipped', reason: recipient.skip })
  try {
    await sendMail({ to: recipient.email, subject, text, html, pictures, messageId: messageIdOf(claim) })
  } catch (error) {
    if (!isMailboxUnknown(error)) throw error
    const { orderId, kind } = claim
    deps.log.warn({ err: error, orderId, kind }, 'the mailbox of a mail about an order does not exist')
    return end(deps, claim, { status: 'skipped', reason: 'rejected' })
  }
  return end(deps, claim, { status: 'sent', to: recipient.email })
}

async function end({ db, clock, log }: OrderMailDeps, claim: Claim, outcome: Outcome): Promise<Outcome> {
  const isOurs = await endMail(db, claim, outcome, clock.now())
  const { orderId, kind } = claim
  if (!isOurs) log.warn({ orderId, kind }, 'another process has taken over a mail that was being sent')
  return outcome
}

function messageIdOf({ orderId, kind, cause }: Claim): string {
  return createHash('sha256').update(`${orderId} ${kind} ${cause}`).digest('hex').slice(0, 32)
}
