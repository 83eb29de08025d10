/**
 * Writes openapi.json from the routes of the service, and the generated files of packages/client. Rejects changes that break clients, because `/v1` may only be
 * extended.
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService } from '../src/app.ts'
import { readConfig } from '../src/config/index.ts'
import { systemClock } from '../src/platform/clock.ts'
import { openDatabase } from '../src/platform/db/index.ts'
import { migrate } from '../src/platform/db/migrations/migrate.ts'
import { openApiDocument } from '../src/platform/http/operations/openapi.ts'
import { startTemporaryPostgres } from '../src/platform/postgres/testing/temporary.ts'
import { createLog } from '../src/platform/telemetry/log.ts'
import { type ApiDocument, findBreakingChanges, RELEASED_DOCUMENT } from './lib/checks/breaking-changes.ts'
import { developerCommand } from './lib/developer-command.ts'
import { writeClient } from './lib/sdk/write-client.ts'

const { release } = developerCommand('npm run openapi --', 'Write openapi.json from the routes of the service.')
  .option('--release', 'also record it as the document of a release, with which later changes are compared')
  .parse()
  .opts<{ release?: true }>()

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
const released = JSON.parse(readFileSync(RELEASED_DOCUMENT, 'utf8')) as ApiDocument
const breaking = release === true ? [] : findBreakingChanges(released, document)
for (const change of breaking) console.error(change)
if (breaking.length > 0) {
  console.error(
    'These changes break clients of the last release, so openapi.json was not written. Undo them, or see CONTRIBUTING.md.',
  )
  process.exitCode = 1
} else {
  writeFileSync(path, `${JSON.stringify(document, null, 2)}\n`)
  if (release === true) copyFileSync(path, RELEASED_DOCUMENT)
  writeClient(JSON.parse(readFileSync(path, 'utf8')))
}
