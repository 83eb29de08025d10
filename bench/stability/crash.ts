import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crashAgainAndAgain } from '../../test/crash/crashes.ts'
import { quantile } from '../lib/load.ts'
import { report } from '../lib/report.ts'

/** How often the service is killed. `BENCH_CYCLES` sets another number. */
const CYCLES = Number(process.env['BENCH_CYCLES'] ?? 50)
/** The most faults to print. The first one is the most useful. */
const SHOWN = 20

/** Kills the service of a busy shop `CYCLES` times. Every fifth time, its PostgreSQL is also killed. */
export async function benchCrash(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-bench-'))
  try {
    const outcome = await crashAgainAndAgain({
      dataDir,
      cycles: CYCLES,
      databaseEvery: 5,
      customers: 4,
      longestLife: 200,
    })
    const { faults, recoveriesMs, ...figures } = outcome
    const sorted = recoveriesMs.sort((a, b) => a - b)
    for (const fault of faults.slice(0, SHOWN)) console.error(fault)
    report({
      figure: `faults after ${CYCLES} kills under load`,
      value: faults.length,
      limit: 0,
      unit: 'faults',
      ratio: faults.length,
      aim: 'none',
      reached: faults.length === 0,
      ...figures,
      recoveryP50Ms: quantile(sorted, 0.5),
      recoveryMaxMs: quantile(sorted, 1),
    })
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}
