import type { AccountData } from '../auth/index.ts'
import { eachRow } from '../platform/db/reading/each-row.ts'
import { toEntryBody } from './schemas.ts'
import { eraseCallers, listEntriesOf, moveEntries } from './store.ts'

const PAGE = 100
const ERASED_AT_ONCE = 500
const MOVED_AT_ONCE = 500

/** The requests of an account: the export lists them, and they stay without their caller after the account is erased. */
export const requestLogAccountData: AccountData = {
  name: 'requests',
  list: async function* (db, userId) {
    for await (const entry of eachRow((last: { id: number } | undefined) =>
      listEntriesOf(db, userId, last?.id ?? 0, PAGE),
    )) {
      yield toEntryBody(entry, { showsNetwork: true })
    }
  },
  erase: async (trx, userId) => {
    const erased = await eraseCallers(trx, userId, ERASED_AT_ONCE)
    return erased < ERASED_AT_ONCE ? true : { isComplete: true, next: 'more' }
  },
  // A guest can have made tens of thousands of requests, which would make its claim long.
  moveLater: async (trx, from, to) => (await moveEntries(trx, from, to, MOVED_AT_ONCE)) < MOVED_AT_ONCE,
}
