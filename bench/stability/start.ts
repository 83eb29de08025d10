import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServiceProcess } from '../../scripts/lib/service-process.ts'
import { median } from '../lib/load.ts'
import { proportionalMegabytes, proportionalMegabytesOfAll } from '../lib/processes.ts'
import { report } from '../lib/report.ts'

const ROUNDS = 3
/** After this time, a process has freed what its start left, and the connections that only the start needed are closed. */
const IDLE_AFTER_MS = 20_000

/** Measures the first and the second start with the embedded database, and the memory of the idle processes. */
export async function benchStart(): Promise<void> {
  const first: number[] = []
  const again: number[] = []
  const memory: number[] = []
  const whole: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const dataDir = await mkdtemp(join(tmpdir(), 'platen-bench-'))
    const env = { PLATEN_DATA_DIR: dataDir }
    const fresh = await startServiceProcess(env)
    first.push(fresh.startedInMs)
    await fresh.stop()
    const second = await startServiceProcess(env)
    again.push(second.startedInMs)
    await new Promise((resolve) => setTimeout(resolve, IDLE_AFTER_MS))
    const pid = second.child.pid ?? 0
    memory.push(await proportionalMegabytes(pid))
    whole.push(await proportionalMegabytesOfAll(pid))
    await second.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  const figures: [string, number, number, string][] = [
    ['first start', median(first), 3_500, 'ms'],
    ['later start', median(again), 1_000, 'ms'],
    ['idle memory of the API process', median(memory), 120, 'MB'],
    ['idle memory of all processes, PostgreSQL included', median(whole), 220, 'MB'],
  ]
  for (const [figure, value, limit, unit] of figures) {
    report({ figure, value, limit, unit, ratio: value / limit, aim: `under ${limit} ${unit}`, reached: value < limit })
  }
}
