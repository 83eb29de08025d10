import { isApiKeyFormed, visiblePartsOf } from '../api-keys/key-format.ts'
import { hashSecret } from '../keys/secrets.ts'
import { mailKeyLeaked } from '../mail/mails.ts'
import type { AccountChangeDeps } from '../sessions/end-sessions.ts'
import { lockUser } from '../users/store.ts'
import type { Alert, Verdict } from './schemas.ts'
import { findKeysBySecrets, type LeakedKey, revokeIfUsable } from './store.ts'
/**
 * Revokes the API keys among the reported texts, and tells their owners once. A text that does not have the form of a
 * key causes no query. A text that is or was a key gets the verdict `true_positive`, even if it no longer works.
 *
 * @returns one verdict for each pair of text and type
 */
export async function revokeLeaked(auth: AccountChangeDeps, alerts: readonly Alert[]): Promise<Verdict[]> {
  const tokens = new Map(alerts.filter(({ token }) => isApiKeyFormed(token)).map((one) => [hashSecret(one.token), one]))
  const leaked = tokens.size === 0 ? [] : await findKeysBySecrets(auth.db, [...tokens.keys()])
  for (const key of leaked) {
    const alert = tokens.get(key.hash)
    if (alert !== undefined) await revoke(auth, key, alert)
  }
  return toVerdicts(alerts, new Set(leaked.map(({ hash }) => hash)))
}

async function revoke(auth: AccountChangeDeps, key: LeakedKey, { token, source }: Alert): Promise<void> {
  await auth.db.transaction().execute(async (trx) => {
    const owner = await lockUser(trx, key.ownerId, 'update')
    await auth.revocations.invalidate(trx, key.id)
    if (owner === undefined || !(await revokeIfUsable(trx, key, auth.clock.now()))) return
    await auth.audit.record(trx, {
      type: 'api_key_leaked',
      userId: owner.id,
      actor: 'system',
      client: null,
      method: 'secret_scanning',
      details: { key: key.id, source: placeOf(source) },
    })
    await mailKeyLeaked(trx, auth, owner.email, visiblePartsOf(token))
  })
}

/**
 * Returns the kind of place where a key was found, such as `commit`. Returns null if the value is not a single word,
 * because it is stored with the security event.
 */
function placeOf(source: string | null | undefined): string | null {
  return source != null && /^\w{1,40}$/.test(source) ? source : null
}

function toVerdicts(alerts: readonly Alert[], keyHashes: ReadonlySet<string>): Verdict[] {
  const verdicts = new Map<string, Verdict>()
  for (const { token, type } of alerts) {
    const hash = hashSecret(token)
    const label = keyHashes.has(hash) ? 'true_positive' : 'false_positive'
    verdicts.set(`${hash} ${type}`, { token_hash: hash, token_type: type, label })
  }
  return [...verdicts.values()]
}
