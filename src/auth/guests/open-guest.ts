import type { Db } from '../../platform/db/index.ts'
import { newGuestId } from '../../platform/fair-share.ts'
import { setQuota } from '../../platform/storage/index.ts'
import type { Client } from '../caller.ts'
import { insertCustomer } from '../customers/store.ts'
import { prefixes } from '../ids.ts'
import { networkGroup } from '../keys/network-group.ts'
import type { KeyDerivation } from '../keys/secrets.ts'
import { type OpenSessionDeps, openSession } from '../sessions/open-session.ts'
import type { RefreshedSession } from '../sessions/refresh-session.ts'
import { findUser } from '../users/store.ts'

/** What a guest may store. */
const GUEST_QUOTA_BYTES = 50 * 1024 * 1024

const NO_CONTENT = { externalId: null, email: null, name: null, metadata: null }

export type OpenGuestDeps = OpenSessionDeps & { db: Db; keys: KeyDerivation }

/**
 * Creates a guest: a customer without an account, and a session for it.
 *
 * @param locale language of the mails about the orders of the guest (BCP 47)
 */
export async function openGuest(auth: OpenGuestDeps, client: Client, locale: string | null): Promise<RefreshedSession> {
  return auth.db.transaction().execute(async (trx) => {
    const userId = newGuestId(prefixes.user, networkGroup(auth.keys, client.ip))
    await insertCustomer(trx, { userId, kind: 'guest', ...NO_CONTENT, locale }, auth.clock.now())
    await setQuota(trx, userId, GUEST_QUOTA_BYTES)
    const user = await findUser(trx, userId)
    if (user === undefined) throw new Error('the guest that was just inserted is missing')
    const opened = await openSession(trx, auth, { user, methods: [], client, event: { type: 'guest_created' } })
    return { ...opened, user }
  })
}
