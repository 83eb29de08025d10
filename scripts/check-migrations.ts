// Reports statements of new migrations that would break running programs. Usage: node scripts/check-migrations.ts [folder]
import { join } from 'node:path'
import process from 'node:process'
import { checkMigrations } from './lib/checks/migration-rules.ts'

const complaints = checkMigrations(process.argv[2] ?? join(import.meta.dirname, '../migrations'))
for (const { file, line, rule, help } of complaints) {
  process.stderr.write(`migrations/${file}:${line}\n    ${rule}: ${help}\n`)
}
if (complaints.length > 0) process.stderr.write('See CONTRIBUTING.md for how to change tables while programs run.\n')
process.exitCode = complaints.length > 0 ? 1 : 0
