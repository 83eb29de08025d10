// Finds what would stop running programs in the migrations that are new. Usage: node scripts/check-migrations.ts [folder]
import { join } from 'node:path'
import process from 'node:process'
import { checkMigrations } from './lib/migration-rules.ts'

const complaints = checkMigrations(process.argv[2] ?? join(import.meta.dirname, '../migrations'))
for (const { file, line, rule, help } of complaints) {
  process.stderr.write(`migrations/${file}:${line}\n    ${rule}: ${help}\n`)
}
if (complaints.length > 0) process.stderr.write('CONTRIBUTING.md says how tables are changed under running programs.\n')
process.exitCode = complaints.length > 0 ? 1 : 0
