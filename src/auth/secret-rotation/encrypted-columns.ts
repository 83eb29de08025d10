import { sql } from 'kysely'
import { seal, unseal } from '../../platform/cryptography/sealed-box.ts'
import type { Db } from '../../platform/db/index.ts'
import type { KeyDerivation } from '../keys/secrets.ts'
import { TOTP_SECRETS } from '../mfa/factors/totp.ts'
import { SEALING_PURPOSE } from '../oauth/flow.ts'

/** A column whose values are encrypted with a key of the service. The id of the row is the context of the encryption. */
export interface EncryptedColumn {
  table: string
  /** Primary key of the table. */
  id: string
  column: string
  /** Purpose for which the encryption key is derived. */
  purpose: string
}

export const ENCRYPTED_COLUMNS_OF_AUTH: readonly EncryptedColumn[] = [
  { table: 'mfa_factors', id: 'id', column: 'secret_encrypted', purpose: TOTP_SECRETS },
  { table: 'oauth_flows', id: 'state_hash', column: 'sealed', purpose: SEALING_PURPOSE },
]

export interface EncryptedAgain {
  /** Number of values that were encrypted with the earlier secret. */
  changed: number
  /** Number of values that neither secret decrypts. They are left as they are. */
  unreadable: number
}

const BATCH = 500

/**
 * Encrypts all values of a column again that are not encrypted with the own secret. A value that is changed at the same
 * time keeps its change.
 */
export async function encryptColumnAgain(
  db: Db,
  column: EncryptedColumn,
  keys: KeyDerivation,
): Promise<EncryptedAgain> {
  const result: EncryptedAgain = { changed: 0, unreadable: 0 }
  let after = ''
  for (;;) {
    const rows = await listValues(db, column, after)
    for (const row of rows) {
      const opened = open(keys.deriveAll(column.purpose), row)
      if (opened === undefined) result.unreadable += 1
      else if (!opened.isOwn) {
        await replaceValue(db, column, row, seal(keys.derive(column.purpose), opened.content, row.id))
        result.changed += 1
      }
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH) return result
    after = last.id
  }
}

/** Counts the values of a column that a secret does not decrypt. */
export async function countForeign(db: Db, column: EncryptedColumn, keys: KeyDerivation): Promise<number> {
  let [count, after] = [0, '']
  for (;;) {
    const rows = await listValues(db, column, after)
    count += rows.filter((row) => open(keys.deriveAll(column.purpose), row) === undefined).length
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH) return count
    after = last.id
  }
}

interface Value {
  id: string
  sealed: Buffer
}

function open(keys: readonly Buffer[], { id, sealed }: Value): { content: Buffer; isOwn: boolean } | undefined {
  for (const [index, key] of keys.entries()) {
    try {
      return { content: unseal(key, sealed, id), isOwn: index === 0 }
    } catch {
      // The other secret may be the right one.
    }
  }
  return undefined
}

async function listValues(db: Db, { table, id, column }: EncryptedColumn, after: string): Promise<Value[]> {
  const [key, value] = [sql.ref(id), sql.ref(column)]
  const { rows } = await sql<Value>`
    select ${key} as id, ${value} as sealed from ${sql.table(table)}
    where ${key} > ${after} and ${value} is not null order by ${key} limit ${BATCH}`.execute(db)
  return rows
}

async function replaceValue(
  db: Db,
  { table, id, column }: EncryptedColumn,
  before: Value,
  sealed: Buffer,
): Promise<void> {
  await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${sealed}
    where ${sql.ref(id)} = ${before.id} and ${sql.ref(column)} = ${before.sealed}`.execute(db)
}
