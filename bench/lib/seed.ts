import { seedSampleSettings } from '../../src/orders/index.ts'
import { openDatabase } from '../../src/platform/db/index.ts'
import { createLog } from '../../src/platform/telemetry/log.ts'
import { seedSampleCatalogue } from '../../src/products/index.ts'

/** Adds the sample catalogue and shipping methods. `platen serve` adds them only to the embedded database. */
export async function seed(connectionString: string): Promise<void> {
  const database = openDatabase({ connectionString }, createLog({ level: 'warn' }))
  await seedSampleCatalogue(database.db, new Date())
  await seedSampleSettings(database.db, new Date())
  await database.close()
}
