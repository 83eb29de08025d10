import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  COMPATIBLE_SINCE,
  numberOf,
  readHeader,
  statementsOf,
} from '../../../src/platform/db/migrations/read-migrations.ts'

const SQUAWK = join(import.meta.dirname, '../../../node_modules/.bin/squawk')

/** Changes that break a program of the previous release. Only the contract step of a migration may make them. */
const CONTRACT_RULES = new Set([
  'adding-required-field',
  'ban-drop-column',
  'ban-drop-not-null',
  'ban-drop-table',
  'changing-column-type',
  'renaming-column',
  'renaming-table',
])

/** Rules of squawk that do not apply here. */
const NEVER_APPLY = [
  // `migrate.ts` sets these timeouts for each migration.
  'require-lock-timeout',
  'require-statement-timeout',
  // A migration is applied once in one transaction, and is never reverted.
  'prefer-robust-stmts',
  // Statements with these types do not block other statements.
  'prefer-bigint-over-int',
  'prefer-bigint-over-smallint',
  'prefer-identity',
  'prefer-text-field',
  'prefer-timestamp-tz',
]

/**
 * Statements that squawk does not report: dropping or renaming other objects in use, and truncating or locking a table.
 */
const OWN_RULES: readonly { rule: string; pattern: RegExp; help: string }[] = [
  {
    rule: 'contract-drops-what-is-used',
    pattern:
      /\b(?:drop\s+(?:function|procedure|view|materialized\s+view|type|domain|sequence|schema|extension)|truncate)\b/i,
    help: 'Programs of the previous release may use the object. Drop it in a contract step.',
  },
  {
    rule: 'contract-renames-what-is-used',
    pattern: /\balter\s+(?:type|function|view|sequence|index)\b[^;]*\brename\b/i,
    help: 'Programs of the previous release may use the object. Add the new one without removing the old one.',
  },
  {
    rule: 'locks-a-table',
    pattern: /^\s*(?:lock\s+table|cluster|vacuum\s+full)\b/im,
    help: 'The statement blocks every use of the table until the migration ends.',
  },
]

export interface Complaint {
  file: string
  line: number
  rule: string
  help: string
}

interface SquawkFinding {
  line: number
  rule_name: string
  message: string
  help: string | null
}

/**
 * Checks the migrations that run while other programs use the database. These are the migrations since the one that
 * lets the database record compatible programs. A file permits a finding with `-- squawk-ignore <rule>` and a reason
 * before the statement.
 */
export function checkMigrations(dir: string): Complaint[] {
  const names = readdirSync(dir)
    .filter((name) => /^\d{4}_.+\.sql$/.test(name) && numberOf(name) >= COMPATIBLE_SINCE)
    .sort()
  return [...checkNumbers(names), ...names.flatMap((name) => checkMigration(dir, name))]
}

/** Programs name the migrations that they know by number. */
function checkNumbers(names: readonly string[]): Complaint[] {
  const taken = names.filter((name, index) => index > 0 && numberOf(names[index - 1] ?? '') === numberOf(name))
  const help = 'Another migration has this number. Take the next free one.'
  return taken.map((file) => ({ file, line: 1, rule: 'number-taken', help }))
}

function checkMigration(dir: string, file: string): Complaint[] {
  const path = join(dir, file)
  const sql = readFileSync(path, 'utf8')
  let header: ReturnType<typeof readHeader>
  try {
    header = readHeader(file, sql)
  } catch (error) {
    return [{ file, line: 1, rule: 'header', help: (error as Error).message }]
  }
  const isContract = /^--\s*contract\b/m.test(sql)
  const found = [...runSquawk(path, header.inTransaction), ...runOwnRules(sql), ...checkHeader(sql, header)]
  return found
    .filter(({ rule }) => !isContract || !(CONTRACT_RULES.has(rule) || rule.startsWith('contract-')))
    .map((complaint) => ({ file, ...complaint }))
}

type Found = Omit<Complaint, 'file'>

function runSquawk(path: string, inTransaction: boolean): Found[] {
  const args = ['--reporter', 'json', '--pg-version', '18', `--exclude=${NEVER_APPLY.join(',')}`]
  if (inTransaction) args.push('--assume-in-transaction')
  const findings = JSON.parse(outputOf(SQUAWK, [...args, path])) as SquawkFinding[]
  return findings.map(({ line, rule_name: rule, message, help }) => ({
    line: line + 1,
    rule,
    help: `${message} ${help ?? ''}`.trim(),
  }))
}

/** Runs squawk and returns its output. Its exit status is 1 if it reports findings. */
function outputOf(program: string, args: readonly string[]): string {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  } catch (error) {
    const { status, stdout } = error as { status?: number; stdout?: string }
    if (status !== 1 || !stdout) throw error
    return stdout
  }
}

function runOwnRules(sql: string): Found[] {
  // Comments are replaced by blanks of the same length, so that line numbers stay correct.
  const code = sql.replace(/--.*$/gm, (comment) => ' '.repeat(comment.length))
  return OWN_RULES.flatMap(({ rule, pattern, help }) => {
    const at = code.search(pattern)
    return at < 0 || isIgnored(sql, rule) ? [] : [{ line: sql.slice(0, at).split('\n').length, rule, help }]
  })
}

function isIgnored(sql: string, rule: string): boolean {
  return new RegExp(`^--\\s*squawk-ignore\\b.*\\b${rule}\\b`, 'm').test(sql)
}

function checkHeader(sql: string, { inTransaction }: { inTransaction: boolean }): Found[] {
  const statements = statementsOf(sql)
  const alone = statements.filter((statement) => /\bconcurrently\b/i.test(statement))
  if (inTransaction && alone.length > 0) {
    const help =
      'PostgreSQL rejects CONCURRENTLY in a transaction. Move it to a separate file that begins with "-- no transaction".'
    return [{ line: 1, rule: 'no-transaction', help }]
  }
  if (!inTransaction && alone.length < statements.length) {
    const help =
      'Without a transaction, only statements with CONCURRENTLY are allowed: a failure would leave others partially applied.'
    return [{ line: 1, rule: 'no-transaction', help }]
  }
  return []
}
