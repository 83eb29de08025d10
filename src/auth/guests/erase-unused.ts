import { addSeconds } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import { closeUser } from '../accounts/personal-data/close-user.ts'
import type { EndSessionsDeps } from '../sessions/end-sessions.ts'
import { lockUser } from '../users/store.ts'
import { listUnusedGuests } from './store.ts'

const UNUSED_SECONDS = 30 * 24 * 3600
const AT_ONCE = 100

/** Closes the guests that were not used for 30 days. A job of each of them then erases its data. */
export async function eraseUnusedGuests(auth: EndSessionsDeps & { db: Db }): Promise<void> {
  const since = addSeconds(auth.clock.now(), -UNUSED_SECONDS)
  for (let ids = await listUnusedGuests(auth.db, since, AT_ONCE); ids.length > 0; ) {
    for (const id of ids) {
      await auth.db.transaction().execute(async (trx) => {
        const guest = await lockUser(trx, id, 'update')
        if (guest?.kind === 'guest' && guest.deletedAt === null) await closeUser(trx, auth, id)
      })
    }
    ids = await listUnusedGuests(auth.db, since, AT_ONCE)
  }
}
