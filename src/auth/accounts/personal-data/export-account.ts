import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/db/index.ts'
import { eachRow } from '../../../platform/db/reading/each-row.ts'
import type { Audit } from '../../audit/audit.ts'
import { toOwnEventBody } from '../../audit/schemas.ts'
import { listSecurityEvents, type RecordedEvent } from '../../audit/store.ts'
import type { Caller } from '../../caller.ts'
import { credentialNotAccepted } from '../../problems.ts'
import { limitOperation } from '../../throttle/limit-operation.ts'
import { findUser } from '../../users/store.ts'
import { toUserBody } from '../schemas.ts'
import type { AccountData } from './account-data.ts'
import { listOwnRecords, OWN_RECORDS_NAMES } from './store.ts'

export interface ExportDeps {
  db: Db
  clock: Clock
  audit: Audit
  accountData: readonly AccountData[]
}

const PAGE = 100

/**
 * Exports all data of the caller as one JSON object, in pieces of text, so that memory use does not grow with the data.
 * The export contains no secrets.
 *
 * @param share returns the part of the processing time that this export may use, because several exports run at once
 * @throws `rate_limited`, `credential_not_accepted`
 */
export async function exportAccount(
  auth: ExportDeps,
  caller: Caller,
  share: () => number = () => 1,
): Promise<AsyncGenerator<string>> {
  const { userId, sessionId } = caller
  const user = await findUser(auth.db, userId)
  if (user === undefined) throw credentialNotAccepted()
  await limitOperation(auth.db, { userId, operation: 'export' }, auth.clock.now())
  await auth.audit.record(auth.db, { type: 'account_exported', userId, sessionId, client: caller.client })
  const head = { exportedAt: auth.clock.now().toISOString(), user: toUserBody(user) }
  return textOf(auth, { userId, head, share })
}

/** After this time without a pause, all exports together let the event loop handle other requests. */
const YIELD_AFTER_MS = 5

interface Exported {
  userId: string
  head: object
  share: () => number
}

async function* textOf({ db, accountData }: ExportDeps, { userId, head, share }: Exported): AsyncGenerator<string> {
  let yieldedAt = performance.now()
  yield JSON.stringify(head).slice(0, -1)
  for (const { name, list } of [...ownData, ...accountData]) {
    yield `,${JSON.stringify(name)}:[`
    let isFirst = true
    for await (const record of list(db, userId)) {
      yield `${isFirst ? '' : ','}${typeof record === 'string' ? record : JSON.stringify(record)}`
      isFirst = false
      // While the socket accepts every piece at once, the loop never waits for I/O and would block all other requests.
      if (performance.now() - yieldedAt < YIELD_AFTER_MS * share()) continue
      await setImmediate()
      yieldedAt = performance.now()
    }
    yield ']'
  }
  yield '}'
}

type Listed = Pick<AccountData, 'name' | 'list'>

const ownData: readonly Listed[] = [
  ...OWN_RECORDS_NAMES.map(
    (name): Listed => ({
      name,
      list: (db, userId) =>
        eachRow<{ id: string }>((last) => listOwnRecords(db, name, { userId, after: last?.id, limit: PAGE })),
    }),
  ),
  {
    name: 'securityEvents',
    // Events that an administrator caused on the account are shown without the data that identifies the administrator.
    list: async function* (db, userId) {
      const events = eachRow<RecordedEvent>((last) => listSecurityEvents(db, { userId }, { limit: PAGE }, last?.id))
      for await (const event of events) yield toOwnEventBody(event)
    },
  },
]
