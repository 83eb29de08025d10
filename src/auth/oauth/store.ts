import type { Db, Trx } from '../../platform/db/index.ts'
import { lockName } from '../../platform/db/locking/locks.ts'

/** The account and the session that began a flow for linking an identity or for a step-up. */
export interface FlowCaller {
  userId: string
  sessionId: string
}

/** A sign-in, link or step-up in progress at a provider. */
export interface Flow {
  stateHash: string
  provider: string
  browserHash: string
  /** The PKCE verifier, the nonce and the purpose of the flow, encrypted. */
  sealed: Buffer
  /** Where the browser is redirected at the end. If null, the callback returns JSON. */
  redirectUri: string | null
  clientState: string | null
  codeChallenge: string | null
  caller: FlowCaller | undefined
  expiresAt: Date
}

export async function insertFlow(db: Db, flow: Flow): Promise<void> {
  await db
    .insertInto('oauth_flows')
    .values({
      state_hash: flow.stateHash,
      provider: flow.provider,
      browser_hash: flow.browserHash,
      sealed: flow.sealed,
      redirect_uri: flow.redirectUri,
      client_state: flow.clientState,
      code_challenge: flow.codeChallenge,
      link_user_id: flow.caller?.userId ?? null,
      link_session_id: flow.caller?.sessionId ?? null,
      expires_at: flow.expiresAt,
    })
    .execute()
}

/** Consumes a flow, which is possible only once. A callback in another browser does not consume it. */
export async function takeFlow(
  db: Db,
  key: Pick<Flow, 'stateHash' | 'provider' | 'browserHash'>,
  now: Date,
): Promise<Flow | undefined> {
  const row = await db
    .deleteFrom('oauth_flows')
    .where('state_hash', '=', key.stateHash)
    .where('provider', '=', key.provider)
    .where('browser_hash', '=', key.browserHash)
    .where('expires_at', '>', now)
    .returning([
      'sealed',
      'redirect_uri',
      'client_state',
      'code_challenge',
      'link_user_id',
      'link_session_id',
      'expires_at',
    ])
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { link_user_id: userId, link_session_id: sessionId } = row
  return {
    ...key,
    sealed: row.sealed,
    redirectUri: row.redirect_uri,
    clientState: row.client_state,
    codeChallenge: row.code_challenge,
    caller: userId === null || sessionId === null ? undefined : { userId, sessionId },
    expiresAt: row.expires_at,
  }
}

export interface IdentityKey {
  provider: string
  subject: string
}

export interface Identity {
  provider: string
  label: string | null
  createdAt: Date
  lastUsedAt: Date | null
}

/**
 * Locks an identity until the transaction ends, even if it is not stored yet. Thus the second of two concurrent first
 * sign-ins finds the account that the first created. Take this lock before the lock of a user.
 */
export async function lockIdentity(trx: Trx, { provider, subject }: IdentityKey): Promise<void> {
  await lockName(trx, `identity ${provider} ${subject}`)
}

export async function findIdentityOwner(trx: Trx, { provider, subject }: IdentityKey): Promise<string | undefined> {
  const row = await trx
    .selectFrom('identities')
    .select('user_id')
    .where('provider', '=', provider)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row?.user_id
}

/**
 * Links an identity to a user, unless the identity already belongs to a user or the user has another identity of this
 * provider.
 *
 * @returns whether the identity was linked
 */
export async function insertIdentity(
  trx: Trx,
  { provider, subject }: IdentityKey,
  { userId, label, at }: { userId: string; label: string | null; at: Date },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('identities')
    .values({ provider, subject, user_id: userId, label, created_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

/**
 * Records a use of an identity.
 *
 * @returns false if the identity does not belong to this user
 */
export async function noteIdentityUsed(
  trx: Trx,
  { provider, subject }: IdentityKey,
  { userId, label, at }: { userId: string; label: string | null; at: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('identities')
    .set({ last_used_at: at, label })
    .where('provider', '=', provider)
    .where('subject', '=', subject)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Lists the identities of a user in the order of provider names. A user has at most one identity of each provider. */
export async function listIdentities(db: Db | Trx, userId: string): Promise<Identity[]> {
  return db
    .selectFrom('identities')
    .select(['provider', 'label', 'created_at as createdAt', 'last_used_at as lastUsedAt'])
    .where('user_id', '=', userId)
    .orderBy('provider')
    .execute()
}

/** Unlinks a provider and deletes the codes of sign-ins with it that were not redeemed. */
export async function deleteIdentity(trx: Trx, key: { userId: string; provider: string }): Promise<void> {
  for (const table of ['identities', 'oauth_codes'] as const) {
    await trx.deleteFrom(table).where('user_id', '=', key.userId).where('provider', '=', key.provider).execute()
  }
}

export async function pruneFlows(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('oauth_flows').where('expires_at', '<', now).execute()
}
