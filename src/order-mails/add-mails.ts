import { tryLockName } from '../platform/db/locking/locks.ts'
import { causeOf, type MailCause } from './causes.ts'
import type { OrderMailDeps } from './context.ts'
import { enqueueSending } from './sending/send-job.ts'
import {
  hasNewEvents,
  insertMails,
  listCauses,
  lockCursor,
  moveCursor,
  type NewMail,
  readCursor,
  readEvents,
  skipEvents,
} from './store.ts'

/** Maximum number of events whose mails one transaction adds. It is small, because readers of events wait for transactions. */
const EVENTS_AT_ONCE = 100

type AddDeps = Pick<OrderMailDeps, 'db' | 'clock'> & { config: Pick<OrderMailDeps['config'], 'orderMails'> }

/**
 * Adds the mails that the next events cause, in one transaction with the position up to which events were read. So each
 * event is read once, by one process. While mails are off, events cause none.
 *
 * @returns whether more events may be readable
 */
export async function addMails({ db, clock, config }: AddDeps): Promise<boolean> {
  if (!config.orderMails) {
    await skipEvents(db)
    return false
  }
  if (!(await hasNewEvents(db))) return false
  return db.transaction().execute(async (trx) => {
    // One process reads at a time. This lock is no write: reading the orders of a hundred events can take seconds, and
    // readers of events wait for transactions that have written something.
    if (!(await tryLockName(trx, 'order_mail_cursor'))) return false
    const cursor = await readCursor(trx)
    const events = await readEvents(trx, cursor, EVENTS_AT_ONCE)
    const last = events.at(-1)
    if (last === undefined) return false
    const present = await lockCursor(trx)
    if (present === undefined) return false
    // A process of the previous release has added these mails in the meantime.
    if (present.transactionId !== cursor.transactionId || present.position !== cursor.position) return true
    const known = new Set((await listCauses(trx, [...new Set(events.map(({ orderId }) => orderId))])).map(keyOf))
    const mails: NewMail[] = []
    for (const event of events) {
      const { id: eventId, orderId, sequence } = event
      const mail = causeOf(event, (one) => !known.has(keyOf({ ...one, orderId })))
      if (mail === undefined) continue
      known.add(keyOf({ ...mail, orderId }))
      mails.push({ ...mail, orderId, eventId, sequence })
    }
    if (mails.length > 0) await insertMails(trx, mails, clock.now())
    await enqueueSending(trx, [...new Set(mails.map(({ orderId }) => orderId))])
    await moveCursor(trx, last)
    return events.length === EVENTS_AT_ONCE
  })
}

function keyOf({ orderId, kind, cause }: MailCause & { orderId: string }): string {
  return `${orderId} ${kind} ${cause}`
}
