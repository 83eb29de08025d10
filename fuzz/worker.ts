/**
 * Runs the cases of one target in a process with the limits of a rendering process. Writes each input to a file first,
 * so that an input that ends the process can be found.
 */
import { hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startWatchdog } from '../src/rendering/pool/watchdog.ts'
import { checkInBudget } from './lib/budget.ts'
import { corpusFiles, readInput } from './lib/corpus.ts'
import { startCoverage } from './lib/coverage.ts'
import { LIMITS } from './lib/limits.ts'
import { createRandom } from './lib/random.ts'
import { isTargetName, loadTarget, type Stage } from './lib/target.ts'

/** A message from the worker to the campaign. */
export type WorkerMessage =
  | { kind: 'ready'; probe: string }
  | { kind: 'progress'; cases: number; cpuMs: number; kept: number }
  | { kind: 'finding'; finding: Finding; inputs: string[] }

export type Finding = { what: 'error' | 'slow' | 'damage'; stage: Stage; caseNumber: number; detail: string }

/** The maximum number of cases per process. A process in production runs at most as many jobs. */
const CASES = 1000
/**
 * The number of cases per process whose coverage is read. Reading the coverage takes longer than most cases of paths,
 * and later cases rarely add to it.
 */
const COVERED_CASES = 300
const PROBE_EVERY = 20
const REPORT_EVERY_MS = 1_000
const MAX_POPULATION = 600
/** The maximum size of an input in the population. Larger inputs take more time than they reveal. */
const MAX_KEPT_BYTES = 200_000

const [target = '', dir = '', seed = '', firstCase = '', until = ''] = process.argv.slice(2)
if (!isTargetName(target)) throw new Error(`Unknown target: ${target}`)
const loaded = await loadTarget(target)
const { seeds, mutate, probe, covers } = loaded
const [populationDir, filesDir] = ['population', 'files'].map((name) => join(dir, name)) as [string, string]
mkdirSync(populationDir, { recursive: true })
mkdirSync(filesDir, { recursive: true })
const population = [...seeds, ...corpusFiles(target).map(readInput), ...readPopulation()]
const outcomes = new Set(readLines('outcomes').map((line) => JSON.parse(line) as string))
const coverage = await startCoverage(covers, readLines('coverage'))
const watchdog = startWatchdog(LIMITS)
const healthy = (await probe?.()) ?? ''
const send = (message: WorkerMessage) => process.send?.(message)
let stage: Stage = 'upload'

send({ kind: 'ready', probe: healthy })
await run()
process.disconnect?.()
process.exit(0)

async function run(): Promise<void> {
  const recent: Buffer[] = []
  let progress = { cases: 0, kept: 0, since: Date.now(), cpu: process.cpuUsage() }
  const report = () => {
    const { user, system } = process.cpuUsage(progress.cpu)
    const { cases, kept } = progress
    send({ kind: 'progress', cases, kept, cpuMs: (user + system) / 1000 })
    progress = { cases: 0, kept: 0, since: Date.now(), cpu: process.cpuUsage() }
  }
  for (let i = 0; i < CASES && !isDue(); i += 1) {
    const caseNumber = Number(firstCase) + i
    const input = inputOf(caseNumber)
    recent.push(input)
    if (recent.length > PROBE_EVERY) recent.shift()
    const { outcome, trapped } = await checkInput(input, caseNumber)
    if (outcome !== undefined && (await isNew(outcome, i)) && keep(input)) progress.kept += 1
    progress.cases += 1
    if (Date.now() - progress.since > REPORT_EVERY_MS) report()
    // After a trap, the state of a WebAssembly module is undefined, so the worker ends.
    if (trapped || (i % PROBE_EVERY === PROBE_EVERY - 1 && (await isDamaged(recent, caseNumber)))) break
  }
  report()
}

/**
 * Tells whether the worker must end: at the time limit, or at the memory size at which the service would replace a
 * process.
 */
function isDue(): boolean {
  return Date.now() >= Number(until) || process.memoryUsage.rss() > (LIMITS.memoryLimitMb / 2) * 2 ** 20
}

/** Returns the input of a case. The first cases are the seeds. */
function inputOf(caseNumber: number): Buffer {
  writeFileSync(join(dir, 'case'), String(caseNumber))
  const random = createRandom(Number(seed), caseNumber)
  const unchanged = seeds[caseNumber]
  const input = unchanged ?? mutate(random, random.pick(population), random.pick(population))
  writeFileSync(join(dir, 'current'), input)
  return input
}

/** Checks one input. The outcome is undefined if the check gives a finding. */
async function checkInput(input: Buffer, caseNumber: number): Promise<{ outcome?: string; trapped: boolean }> {
  enter('upload')
  watchdog.jobStarts(caseNumber + 1)
  try {
    const { outcome, cpuMs } = await checkInBudget(loaded, input, { dir: filesDir, enter })
    if (cpuMs <= loaded.budgetMs) return { outcome, trapped: false }
    found('slow', caseNumber, `${cpuMs} ms of CPU time; ${outcome}`, [input])
    return { trapped: false }
  } catch (error) {
    found('error', caseNumber, error instanceof Error ? (error.stack ?? error.message) : String(error), [input])
    return { trapped: error instanceof Error && error.name === 'RuntimeError' }
  } finally {
    watchdog.jobEnds()
  }
}

function enter(next: Stage): void {
  stage = next
  writeFileSync(join(dir, 'stage'), next)
}

async function isDamaged(recent: Buffer[], caseNumber: number): Promise<boolean> {
  if (probe === undefined || (await probe()) === healthy) return false
  found('damage', caseNumber, 'The probe gave another result after these inputs', recent)
  return true
}

function found(what: Finding['what'], caseNumber: number, detail: string, inputs: readonly Buffer[]): void {
  const encoded = inputs.map((input) => input.toString('base64'))
  send({ kind: 'finding', finding: { what, stage, caseNumber, detail }, inputs: encoded })
}

async function isNew(outcome: string, caseOfProcess: number): Promise<boolean> {
  const blocks = caseOfProcess < COVERED_CASES ? await coverage.takeNew() : []
  const isKnown = outcomes.has(outcome)
  outcomes.add(outcome)
  if (!isKnown) addLines('outcomes', [JSON.stringify(outcome)])
  addLines('coverage', blocks)
  return !isKnown || blocks.length > 0
}

function keep(input: Buffer): boolean {
  if (input.length > MAX_KEPT_BYTES || population.length >= MAX_POPULATION) return false
  population.push(input)
  const number = String(population.length).padStart(5, '0')
  writeFileSync(join(populationDir, `${number}-${hash('sha256', input).slice(0, 16)}`), input)
  return true
}

function readPopulation(): Buffer[] {
  return readdirSync(populationDir)
    .sort()
    .map((file) => readFileSync(join(populationDir, file)))
}

/** Reads lines that earlier processes have recorded, such as outcomes and coverage. */
function readLines(file: string): string[] {
  try {
    return readFileSync(join(dir, file), 'utf8').trim().split('\n')
  } catch {
    return []
  }
}

function addLines(file: string, lines: readonly string[]): void {
  if (lines.length > 0) writeFileSync(join(dir, file), `${lines.join('\n')}\n`, { flag: 'a' })
}
