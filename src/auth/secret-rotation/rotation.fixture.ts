/** Rotates the secret in a process of its own, which kills itself after the step that the environment names. */
import { readConfig } from '../../config/index.ts'
import { ENCRYPTED_COLUMNS } from '../../features.ts'
import { systemClock } from '../../platform/clock.ts'
import { openDatabase } from '../../platform/db/index.ts'
import { createLog } from '../../platform/telemetry/log.ts'
import { rotateSecret } from './rotate-secret.ts'

const config = readConfig()
const database = openDatabase(
  { connectionString: config.databaseUrl ?? '', max: 2 },
  createLog({ level: 'warn', destination: process.stderr }),
)
const rotation = await rotateSecret({
  database,
  clock: systemClock,
  secretFrom: config,
  columns: ENCRYPTED_COLUMNS,
  settleMs: 1_000,
  onStep: (step) => {
    if (step === process.env['PLATEN_TEST_KILL_AT']) process.kill(process.pid, 'SIGKILL')
  },
})
process.stdout.write(JSON.stringify(rotation))
await database.close()
