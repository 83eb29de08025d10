import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import { shareOf } from '../../platform/fair-share.ts'
import type { KeyDerivation } from '../keys/secrets.ts'
import { noteMail } from './store.ts'

/** Limits of mails to addresses that their senders have not confirmed, per hour. */
const PER_ADDRESS = 10
const PER_SENDER = 30

/**
 * Counts a mail that a user causes to an email address that it has not confirmed. The address may be a stranger's, who
 * must not be flooded. The guests of one network are one sender.
 *
 * @returns whether the limits allow the mail
 */
export async function mayMailUnconfirmed(
  db: Db,
  deps: { keys: KeyDerivation; clock: Clock },
  { email, senderId }: { email: string; senderId: string },
): Promise<boolean> {
  const sender = { kind: 'unconfirmed_by', recipient: shareOf(senderId), perHour: PER_SENDER }
  const address = { kind: 'unconfirmed', recipient: email.toLowerCase(), perHour: PER_ADDRESS }
  return (
    (await noteMail(db, deps, { ...sender, pauseSeconds: 0 })) &&
    (await noteMail(db, deps, { ...address, pauseSeconds: 0 }))
  )
}
