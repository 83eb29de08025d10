import type { Db, Trx } from '../../platform/db/index.ts'

/** The code that a client redeems for tokens after a sign-in with a provider. */
export interface SignInCode {
  codeHash: string
  userId: string
  provider: string
  /** The `amr` values of the sign-in with the provider. */
  methods: string[]
  codeChallenge: string | null
  expiresAt: Date
}

export async function insertCode(trx: Trx, code: SignInCode): Promise<void> {
  await trx
    .insertInto('oauth_codes')
    .values({
      code_hash: code.codeHash,
      user_id: code.userId,
      provider: code.provider,
      methods: code.methods,
      code_challenge: code.codeChallenge,
      expires_at: code.expiresAt,
    })
    .execute()
}

/** Finds the user of a code, even if the code was already used. */
export async function findCodeOwner(db: Db | Trx, codeHash: string): Promise<string | undefined> {
  const row = await db.selectFrom('oauth_codes').select('user_id').where('code_hash', '=', codeHash).executeTakeFirst()
  return row?.user_id
}

/**
 * Consumes a code. If several concurrent requests have the same code, only one of them gets its content.
 *
 * @param codeChallenge the challenge of the request's verifier, or null without a verifier; it must equal the challenge
 * of the flow, which can also be null
 */
export async function takeCode(
  trx: Trx,
  { codeHash, codeChallenge }: Pick<SignInCode, 'codeHash' | 'codeChallenge'>,
  now: Date,
): Promise<{ provider: string; methods: string[] } | undefined> {
  return trx
    .updateTable('oauth_codes')
    .set({ used_at: now })
    .where('code_hash', '=', codeHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .where((eb) => eb('code_challenge', 'is not distinct from', codeChallenge))
    .returning(['provider', 'methods'])
    .executeTakeFirst()
}

export async function dropCodes(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('oauth_codes').where('user_id', '=', userId).where('used_at', 'is', null).execute()
}

export async function pruneCodes(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('oauth_codes').where('expires_at', '<', now).execute()
}
