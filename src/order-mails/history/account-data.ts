import type { AccountData } from '../../auth/index.ts'
import { eachRow } from '../../platform/db/reading/each-row.ts'
import { toMailBody } from './schemas.ts'
import { eraseRecipients, listMailsOf, type PastMail } from './store.ts'

const PAGE = 100
const ERASED_AT_ONCE = 500

/** The mails about the orders of a customer. Erasure removes the email addresses to which they went. */
export const orderMailAccountData: AccountData = {
  name: 'orderMails',
  list: async function* (db, userId) {
    const mails = eachRow<PastMail>((last) => listMailsOf(db, userId, last?.id ?? 0, PAGE))
    for await (const mail of mails) yield { orderId: mail.orderId, ...toMailBody(mail) }
  },
  erase: async (trx, userId) => {
    const erased = await eraseRecipients(trx, userId, ERASED_AT_ONCE)
    return erased < ERASED_AT_ONCE ? true : { isComplete: true, next: 'more' }
  },
}
