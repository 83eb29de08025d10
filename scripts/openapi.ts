/** Writes openapi.json from the routes of the service. Refuses changes that break clients: `/v1` allows additions only. */
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService } from '../src/app.ts'
import { readConfig } from '../src/config/index.ts'
import { systemClock } from '../src/platform/clock.ts'
import { openDatabase } from '../src/platform/db/index.ts'
import { migrate } from '../src/platform/db/migrate.ts'
import { openApiDocument } from '../src/platform/http/openapi.ts'
import { createLog } from '../src/platform/log.ts'
import { startTemporaryPostgres } from '../src/platform/postgres/index.ts'
import { type ApiDocument, findBreakingChanges } from './lib/breaking-changes.ts'
import { developerCommand } from './lib/developer-command.ts'

const { allowBreaking } = developerCommand('npm run openapi --', 'Write openapi.json from the routes of the service.')
  .option('--allow-breaking', 'write it even if a change breaks clients, for operations that no release has contained')
  .parse()
  .opts<{ allowBreaking?: true }>()

const log = createLog({ level: 'warn' })
const dataDir = await mkdtemp(join(tmpdir(), 'platen-openapi-'))
const postgres = await startTemporaryPostgres()
await migrate(postgres.poolConfig, log)
const database = openDatabase(postgres.poolConfig, log)
const service = await createService({
  config: readConfig({ PLATEN_DATA_DIR: dataDir }),
  log,
  clock: systemClock,
  database,
})
const document = openApiDocument(service.app) as ApiDocument
await service.close()
await database.close()
await postgres.stop()
await rm(dataDir, { recursive: true })

const path = join(import.meta.dirname, '../openapi.json')
const breaking = findBreakingChanges(JSON.parse(readFileSync(path, 'utf8')) as ApiDocument, document)
for (const change of breaking) console.error(change)
if (breaking.length > 0 && allowBreaking !== true) {
  console.error(
    'These changes break clients, so openapi.json was not written. Undo them, or see npm run openapi -- --help.',
  )
  process.exitCode = 1
} else {
  writeFileSync(path, `${JSON.stringify(document, null, 2)}\n`)
}
