/** Checks files for `replay`. Writes the result of each file as one line of JSON. */
import { mkdtempSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startWatchdog } from '../src/rendering/pool/watchdog.ts'
import { checkInBudget } from './lib/budget.ts'
import { readInput } from './lib/corpus.ts'
import { LIMITS } from './lib/limits.ts'
import type { Replayed } from './lib/replay.ts'
import { isTargetName, loadTarget, type Stage } from './lib/target.ts'

const [name = '', ...files] = process.argv.slice(2)
if (!isTargetName(name)) throw new Error(`Unknown target: ${name}`)
const loaded = await loadTarget(name)
const watchdog = startWatchdog(LIMITS)
const dir = mkdtempSync(join(tmpdir(), 'platen-fuzz-'))
process.on('exit', () => rmSync(dir, { recursive: true, force: true }))

const healthy = await loaded.probe?.()
for (const [index, file] of files.entries()) {
  const result = await checkFile(file, index + 1)
  const isSound = (await loaded.probe?.()) === healthy
  // The result is written at once and synchronously, because the next file may end this process.
  writeSync(
    1,
    `${JSON.stringify(isSound ? result : { file, failure: 'damages memory: the probe gives another result' })}\n`,
  )
}
process.exit(0)

async function checkFile(file: string, number: number): Promise<Replayed> {
  let stage: Stage = 'upload'
  const enter = (next: Stage) => {
    stage = next
  }
  watchdog.jobStarts(number)
  try {
    const { outcome, cpuMs } = await checkInBudget(loaded, readInput(file), { dir, enter })
    return cpuMs > loaded.budgetMs
      ? { file, failure: `${stage}: ${cpuMs} ms of CPU time; ${outcome}` }
      : { file, outcome }
  } catch (error) {
    return { file, failure: `${stage}: ${error instanceof Error ? error.stack : String(error)}` }
  } finally {
    watchdog.jobEnds()
  }
}
