import type { ClientBase } from 'pg'
import { type Migration, numberOf } from './read-migrations.ts'

export interface Applied {
  sha256: string
  /** Null if the program that applied the migration did not record it. */
  minCompatible: string | null
}

/**
 * Reads the migrations that were applied to a database, by name. Returns undefined for a database that was never
 * migrated.
 */
export async function readApplied(client: ClientBase): Promise<Map<string, Applied> | undefined> {
  const { rows: columns } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = to_regclass('schema_migrations') and attnum > 0 and not attisdropped`,
  )
  if (columns.length === 0) return undefined
  const compatibility = columns.some(({ name }) => name === 'min_compatible') ? 'min_compatible' : 'null'
  const { rows } = await client.query<Applied & { name: string }>(
    `select name, sha256, ${compatibility} as "minCompatible" from schema_migrations order by name`,
  )
  return new Map(rows.map(({ name, ...applied }) => [name, applied]))
}

export function findMissing(known: readonly Migration[], applied: ReadonlyMap<string, Applied>): Migration[] {
  return known.filter(({ name }) => !applied.has(name))
}

export function findUnknown(known: readonly Migration[], applied: ReadonlyMap<string, Applied>): string[] {
  const names = new Set(known.map(({ name }) => name))
  return [...applied.keys()].filter((name) => !names.has(name))
}

/**
 * Tells whether this program may run on a database. If a newer version migrated the database, the database states which
 * programs may still run. This lets the previous release start again during a rollout.
 *
 * @returns the reason why the program may not run, and what to do; undefined if it may
 */
export function findRefusal(known: readonly Migration[], applied: ReadonlyMap<string, Applied>): string | undefined {
  const edited = known.find(({ name, sha256 }) => applied.has(name) && applied.get(name)?.sha256 !== sha256)
  if (edited !== undefined) {
    return `migrations/${edited.name} has changed since it was applied. Applied migrations are never edited: add a new one.`
  }
  const unknown = findUnknown(known, applied)
  const newest = numberOf(known.at(-1)?.name ?? '')
  const tooNew = unknown.filter((name) => (applied.get(name)?.minCompatible ?? '9999') > newest)
  if (tooNew.length > 0) {
    return `The database was migrated by a newer version of Platen (${tooNew.join(', ')}). Use that version or a later one.`
  }
  const missing = findMissing(known, applied)
  if (unknown.length > 0 && missing.length > 0) {
    return (
      `The database has migrations of another version of Platen (${unknown.join(', ')}) and lacks some of this one ` +
      `(${missing.map(({ name }) => name).join(', ')}). Use the version that migrated it.`
    )
  }
  return undefined
}
