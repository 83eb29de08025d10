import type { Db, Trx } from '../../platform/db/index.ts'

/** A sign-in that waits for its second factor. */
export interface PendingSignIn {
  tokenHash: string
  userId: string
  /** How the first factor was proved (`amr`). */
  methods: string[]
  createdAt: Date
  expiresAt: Date
}

export async function insertPendingSignIn(trx: Trx, pending: PendingSignIn): Promise<void> {
  await trx
    .insertInto('pending_sign_ins')
    .values({
      token_hash: pending.tokenHash,
      user_id: pending.userId,
      methods: pending.methods,
      created_at: pending.createdAt,
      expires_at: pending.expiresAt,
    })
    .execute()
}

export async function hasUnusedRecoveryCode(db: Db | Trx, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('recovery_codes')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
