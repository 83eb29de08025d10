import { sql } from 'kysely'
import type { Clock } from '../../platform/clock.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { KeyDerivation } from '../keys/secrets.ts'
import { emailPseudonym } from '../users/email-pseudonym.ts'

/** Default limits for mails of one kind to one recipient. */
const PAUSE_SECONDS = 60
const PER_HOUR = 5
const HOUR_SECONDS = 3600

const before = (now: Date, seconds: number): Date => new Date(now.getTime() - seconds * 1000)

/**
 * Records a mail if the limits allow it, and returns whether they do. Known and unknown recipients are counted in the
 * same way. They are stored as pseudonyms, which stay after an account is deleted, so that registering again does not
 * reset the count.
 */
export async function noteMail(
  trx: Db | Trx,
  { keys, clock }: { keys: KeyDerivation; clock: Clock },
  {
    kind,
    recipient,
    pauseSeconds = PAUSE_SECONDS,
    perHour = PER_HOUR,
  }: { kind: string; recipient: string; pauseSeconds?: number; perHour?: number },
): Promise<boolean> {
  const now = clock.now()
  const name = emailPseudonym(keys, recipient)
  const { rows } = await sql`
    insert into mail_history as h (kind, address, sent_at) values (${kind}, ${name}, array[${now}::timestamptz])
    on conflict (kind, address) do update set sent_at = (excluded.sent_at || h.sent_at)[1:${sql.lit(perHour)}]
    where h.sent_at[1] <= ${before(now, pauseSeconds)}::timestamptz
      and (h.sent_at[${sql.lit(perHour)}] is null or h.sent_at[${sql.lit(perHour)}] <= ${before(now, HOUR_SECONDS)}::timestamptz)
    returning true`.execute(trx)
  return rows.length > 0
}

export type TokenPurpose = 'verify_email' | 'reset_password' | 'change_email'

/** The new email address, and the session that requested the change. */
export interface EmailChange {
  newEmail: string
  sessionId: string
}

/** Stores the hash of a mailed token. It replaces an earlier token of the user for the same purpose. */
export async function putEmailToken(
  trx: Trx,
  token: { userId: string; purpose: TokenPurpose; hash: string; expiresAt: Date; change: EmailChange | undefined },
): Promise<void> {
  const { change } = token
  const values = {
    token_hash: token.hash,
    expires_at: token.expiresAt,
    new_email: change?.newEmail ?? null,
    session_id: change?.sessionId ?? null,
  }
  await trx
    .insertInto('email_tokens')
    .values({ user_id: token.userId, purpose: token.purpose, ...values })
    .onConflict((conflict) => conflict.columns(['user_id', 'purpose']).doUpdateSet(values))
    .execute()
}

interface TokenKey {
  purpose: TokenPurpose
  hash: string
}

/** Finds the id of the user to whom a token was mailed. */
export async function findEmailToken(
  db: Db | Trx,
  { purpose, hash }: TokenKey,
  now: Date,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('email_tokens')
    .select('user_id')
    .where('token_hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row?.user_id
}

/** Consumes a token. If several concurrent requests have the same token, only one of them gets the row. */
export async function takeEmailToken(
  trx: Trx,
  { purpose, hash }: TokenKey,
  now: Date,
): Promise<{ change: EmailChange | undefined } | undefined> {
  const row = await trx
    .deleteFrom('email_tokens')
    .where('token_hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .returning(['new_email', 'session_id'])
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { new_email: newEmail, session_id: sessionId } = row
  return { change: newEmail === null || sessionId === null ? undefined : { newEmail, sessionId } }
}

export async function dropEmailTokens(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('email_tokens').where('user_id', '=', userId).execute()
}

/** Deletes the token of an email change, unless the session `except` requested the change. */
export async function dropEmailChange(
  trx: Trx,
  { userId, except }: { userId: string; except: string | undefined },
): Promise<void> {
  await trx
    .deleteFrom('email_tokens')
    .where('user_id', '=', userId)
    .where('purpose', '=', 'change_email')
    .where('session_id', 'is distinct from', except ?? '')
    .execute()
}

/** Deletes expired tokens, and the history of mails that no longer counts toward a limit. */
export async function pruneMail(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('email_tokens').where('expires_at', '<', now).execute()
  await sql`delete from mail_history where sent_at[1] < ${before(now, HOUR_SECONDS)}`.execute(db)
}
