import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MigrationError } from './migration-error.ts'

export interface Migration {
  name: string
  sql: string
  sha256: string
  /** False for statements that PostgreSQL runs only outside a transaction, such as `create index concurrently`. */
  inTransaction: boolean
  /** The number of the migration that a program must know to run on a database with this migration. */
  minCompatible: string
}

/** The first migration with which a database records which programs may run on it. */
export const COMPATIBLE_SINCE = '0024'

export function numberOf(name: string): string {
  return name.slice(0, 4)
}

/**
 * Reads the migrations of a folder, in the order in which they are applied.
 *
 * @throws {MigrationError} for an unknown header
 */
export async function readMigrations(dir: string): Promise<Migration[]> {
  const names = (await readdir(dir)).filter((name) => /^\d{4}_.+\.sql$/.test(name)).sort()
  return Promise.all(names.map(async (name) => toMigration(name, await readFile(join(dir, name), 'utf8'))))
}

function toMigration(name: string, sql: string): Migration {
  const sha256 = createHash('sha256').update(sql).digest('hex')
  return { name, sql, sha256, ...readHeader(name, sql) }
}

const NO_TRANSACTION = '-- no transaction'
const CONTRACT = /^-- contract: needs (\d{4})(?:, .*)?$/

export function readHeader(name: string, sql: string): Pick<Migration, 'inTransaction' | 'minCompatible'> {
  let inTransaction = true
  let minCompatible = COMPATIBLE_SINCE
  for (const line of sql.split('\n')) {
    if (!line.startsWith('--')) break
    if (line === NO_TRANSACTION) inTransaction = false
    if (!/^--\s*contract\b/.test(line)) continue
    const needs = CONTRACT.exec(line)?.[1]
    if (needs === undefined || needs > numberOf(name)) {
      throw new MigrationError(
        `migrations/${name}: "${line}" names no migration. Write for example "-- contract: needs 0026".`,
      )
    }
    minCompatible = needs
  }
  return { inTransaction, minCompatible }
}

/**
 * Splits a migration that runs outside a transaction into statements. Each statement ends with a semicolon at the end
 * of a line.
 */
export function statementsOf(sql: string): string[] {
  return sql
    .replace(/^\s*--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}
