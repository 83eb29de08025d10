import type { Db, Trx } from '../../platform/db/index.ts'
import type { User } from '../users/store.ts'

/** A sign-in that waits for its second factor. */
export interface PendingSignIn {
  tokenHash: string
  userId: string
  /** The method of the first factor: `password`, `passkey` or the name of a provider. */
  signInMethod: string
  /** The `amr` values of the first factor. */
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
      way: pending.signInMethod,
      methods: pending.methods,
      created_at: pending.createdAt,
      expires_at: pending.expiresAt,
    })
    .execute()
}

export type PendingOwner = Pick<User, 'id' | 'email' | 'devicesSince'>

/** Finds the user of a pending sign-in, even if it has expired. */
export async function findPendingOwner(db: Db, tokenHash: string): Promise<PendingOwner | undefined> {
  return db
    .selectFrom('pending_sign_ins')
    .innerJoin('users', 'users.id', 'pending_sign_ins.user_id')
    .select(['users.id', 'users.email', 'users.devices_since as devicesSince'])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
}

/** Returns whether a sign-in still waits for its second factor. The caller must have locked the user. */
export async function isPendingSignIn(trx: Trx, tokenHash: string, now: Date): Promise<boolean> {
  const row = await trx
    .selectFrom('pending_sign_ins')
    .select('user_id')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row !== undefined
}

/** Consumes a pending sign-in. If several concurrent requests have the same token, only one of them gets the row. */
export async function takePendingSignIn(
  trx: Trx,
  tokenHash: string,
  now: Date,
): Promise<{ signInMethod: string; methods: string[] } | undefined> {
  return trx
    .deleteFrom('pending_sign_ins')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .returning(['way as signInMethod', 'methods'])
    .executeTakeFirst()
}

/**
 * Ends a pending sign-in without deleting it. The row still names the user, so that further attempts get the error of
 * the block. It passes over a row that is locked: the transaction that completes the sign-in deletes it, and may wait for
 * the attempt that starts the block.
 */
export async function expirePendingSignIn(trx: Trx, tokenHash: string, now: Date): Promise<void> {
  await trx
    .updateTable('pending_sign_ins')
    .set({ expires_at: now })
    .where('token_hash', 'in', (eb) =>
      eb
        .selectFrom('pending_sign_ins')
        .select('token_hash')
        .where('token_hash', '=', tokenHash)
        .forNoKeyUpdate()
        .skipLocked(),
    )
    .execute()
}

export async function dropPendingSignIns(trx: Trx, userId: string): Promise<void> {
  await trx
    .with('waiting', (cte) =>
      cte
        .selectFrom('pending_sign_ins')
        .select('token_hash')
        .where('user_id', '=', userId)
        // Locked in the order of the hashes, so that two concurrent deletions cannot deadlock.
        .orderBy('token_hash')
        .forUpdate(),
    )
    .deleteFrom('pending_sign_ins')
    .using('waiting')
    .whereRef('pending_sign_ins.token_hash', '=', 'waiting.token_hash')
    .execute()
}

export async function prunePendingSignIns(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('pending_sign_ins').where('expires_at', '<', now).execute()
}
