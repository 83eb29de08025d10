/** Writes src/platform/db/schema.generated.ts from a freshly migrated database. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../src/platform/db/migrations/migrate.ts'
import { startTemporaryPostgres } from '../src/platform/postgres/testing/temporary.ts'
import { createLog } from '../src/platform/telemetry/log.ts'
import { developerCommand } from './lib/developer-command.ts'

const { check } = developerCommand('npm run db:types --', 'Write the TypeScript types of the database schema.')
  .option('--check', 'write nothing, and fail if the types are out of date')
  .parse()
  .opts<{ check?: true }>()

const target = join(import.meta.dirname, '../src/platform/db/schema.generated.ts')
const log = createLog({ level: 'warn' })
const postgres = await startTemporaryPostgres({ log })
const dir = mkdtempSync(join(tmpdir(), 'platen-types-'))
try {
  await migrate(postgres.poolConfig, log)
  const out = join(dir, 'schema.ts')
  const { host, user, database } = postgres.poolConfig
  const url = `socket:${host}?db=${database}&user=${user}`
  const args = ['--dialect', 'postgres', '--url', url, '--out-file', out, '--include-pattern', 'public.*']
  // The pool of the service parses int8 as a number.
  args.push('--type-mapping', '{"int8":"number"}', '--log-level', 'error')
  execFileSync('kysely-codegen', args, { stdio: 'inherit' })
  const made = readFileSync(out, 'utf8')
  if (check === true) {
    if (made !== readFileSync(target, 'utf8')) {
      console.error('src/platform/db/schema.generated.ts does not match the migrations. Run: npm run db:types')
      process.exitCode = 1
    }
  } else {
    execFileSync('cp', [out, target])
  }
} finally {
  rmSync(dir, { recursive: true })
  await postgres.stop()
}
