import { openDatabase } from '../../src/platform/db/index.ts'
import { createLog } from '../../src/platform/telemetry/log.ts'
import { measureStalls, STALL_MS, startMeasured } from '../../test/limits/stalls.ts'
import { report } from '../lib/report.ts'
import type { Subject } from '../lib/subject.ts'

const SHOWN = 5

/** Measures the longest wait of `/health/live` while each operation of the API is called with its largest inputs. */
export async function benchStall({ connectionString, dataDir }: Subject): Promise<void> {
  const service = await startMeasured({ PLATEN_DATA_DIR: dataDir, PLATEN_DATABASE_URL: connectionString })
  const database = openDatabase({ connectionString, max: 2 }, createLog({ level: 'warn' }))
  try {
    const stalls = await measureStalls(service, database.db)
    const faults = stalls.flatMap(({ name, fault }) => (fault === undefined ? [] : [`${name}: ${fault}`]))
    if (faults.length > 0) throw new Error(faults.join('\n'))
    const [worst = { name: 'none', stallMs: Number.NaN }] = stalls
    report({
      figure: 'longest delay of /health/live while each operation runs with its largest input',
      value: worst.stallMs,
      limit: STALL_MS,
      unit: 'ms',
      ratio: worst.stallMs / STALL_MS,
      aim: 'under 200 ms',
      reached: worst.stallMs < STALL_MS,
      operation: worst.name,
      inputs: stalls.length,
      next: stalls
        .slice(1, SHOWN)
        .map(({ name, stallMs }) => `${name} ${Math.round(stallMs)} ms`)
        .join('; '),
    })
  } finally {
    await database.close()
    await service.stop()
  }
}
