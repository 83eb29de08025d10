import type { Clock } from '../../../platform/clock.ts'
import type { Db, Trx } from '../../../platform/db/index.ts'
import { createAudit } from '../../audit/audit.ts'
import { newId } from '../../ids.ts'
import { insertUser } from '../../users/store.ts'
import type { ImportedUser } from './read-users.ts'
import { findTaken } from './store.ts'

/** Accounts per transaction. If an import is interrupted, running it again adds the accounts that are missing. */
const BATCH = 500

export interface ImportResult {
  /** Number of accounts that were added, or that a dry run would add. */
  added: number
  /**
   * Users of the file that were not added, because an account with their email address exists. That account is left
   * unchanged.
   */
  skipped: ImportedUser[]
}

export async function importUsers(
  { db, clock }: { db: Db; clock: Clock },
  users: readonly ImportedUser[],
  { isRehearsal }: { isRehearsal: boolean },
): Promise<ImportResult> {
  const result: ImportResult = { added: 0, skipped: [] }
  for (let start = 0; start < users.length; start += BATCH) {
    const batch = users.slice(start, start + BATCH)
    const skipped = isRehearsal ? await listTaken(db, batch) : await addBatch({ db, clock }, batch)
    result.skipped.push(...skipped)
    result.added += batch.length - skipped.length
  }
  return result
}

async function listTaken(db: Db, batch: readonly ImportedUser[]): Promise<ImportedUser[]> {
  const taken = new Set(
    await findTaken(
      db,
      batch.map(({ email }) => email),
    ),
  )
  return batch.filter(({ email }) => taken.has(email))
}

async function addBatch({ db, clock }: { db: Db; clock: Clock }, batch: readonly ImportedUser[]) {
  return db.transaction().execute(async (trx) => {
    const skipped: ImportedUser[] = []
    // Inserted in the order of email addresses, so that two concurrent imports cannot deadlock.
    for (const user of batch.toSorted((a, b) => (a.email < b.email ? -1 : 1))) {
      if (!(await addUser(trx, clock, user))) skipped.push(user)
    }
    return skipped
  })
}

async function addUser(trx: Trx, clock: Clock, imported: ImportedUser): Promise<boolean> {
  const { email, name, role, passwordHash, emailVerified, scheme } = imported
  const at = clock.now()
  const id = newId('user')
  const user = { id, email, name, role, passwordHash, emailVerifiedAt: emailVerified ? at : null, at }
  if (!(await insertUser(trx, user))) return false
  const event = { type: 'password_imported', userId: id, actor: 'operator', client: null, method: scheme } as const
  if (scheme !== null) await createAudit({ clock }).record(trx, event)
  return true
}
