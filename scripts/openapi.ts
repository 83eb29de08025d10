/** Writes openapi.json from the routes of the service. */
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { systemClock } from '../src/platform/clock.ts'
import { openDatabase } from '../src/platform/db/index.ts'
import { migrate } from '../src/platform/db/migrate.ts'
import { openApiDocument } from '../src/platform/http/openapi.ts'
import { createLog } from '../src/platform/log.ts'
import { startTemporaryPostgres } from '../src/platform/postgres/index.ts'

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
writeFileSync(
  join(import.meta.dirname, '../openapi.json'),
  `${JSON.stringify(openApiDocument(service.app), null, 2)}\n`,
)
await service.close()
await database.close()
await postgres.stop()
await rm(dataDir, { recursive: true })
