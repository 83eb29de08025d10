import { type ChildProcess, fork, type StdioOptions } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkerMessage } from '../worker.ts'
import { HANG_MS, PROCESS } from './limits.ts'
import { replay } from './replay.ts'
import type { TargetName } from './target.ts'

export type CampaignOptions = {
  target: TargetName
  minutes: number
  seed: number
  firstCase: number
  outDir: string
}

export type Summary = {
  target: TargetName
  cases: number
  cpuMinutes: number
  wallMinutes: number
  processes: number
  kept: number
  /** How many processes died at an input that another process then accepted. */
  unconfirmed: number
  /** One finding for each kind. The folder `findings` contains their inputs. */
  findings: { kind: string; times: number; files: string[] }[]
}

const FILES_PER_FINDING = 5
const WRITE_EVERY_MS = 60_000

/** Runs cases of one target in child processes, one process at a time, until the time is over. */
export async function runCampaign({ target, minutes, seed, firstCase, outDir }: CampaignOptions): Promise<Summary> {
  mkdirSync(join(outDir, 'findings'), { recursive: true })
  const startedAt = Date.now()
  const until = startedAt + minutes * 60_000
  const findings = createFindings(target, seed, outDir)
  const totals = { cases: 0, cpuMs: 0, processes: 0, kept: 0, unconfirmed: 0 }
  const summary = (): Summary => ({
    target,
    cases: totals.cases,
    cpuMinutes: Math.round(totals.cpuMs / 600) / 100,
    wallMinutes: Math.round((Date.now() - startedAt) / 600) / 100,
    processes: totals.processes,
    kept: totals.kept,
    unconfirmed: totals.unconfirmed,
    findings: findings.list(),
  })
  const write = () => writeFileSync(join(outDir, 'summary.json'), JSON.stringify(summary(), null, 2))
  const writing = setInterval(write, WRITE_EVERY_MS)

  const onMessage = (message: WorkerMessage) => {
    if (message.kind === 'progress') {
      totals.cases += message.cases
      totals.cpuMs += message.cpuMs
      totals.kept += message.kept
    } else if (message.kind === 'finding') {
      const { what, stage, caseNumber, detail } = message.finding
      const inputs = message.inputs.map((input) => Buffer.from(input, 'base64'))
      findings.add(what, `${stage}, case ${caseNumber}: ${detail}`, inputs)
    }
  }
  for (let nextCase = firstCase; Date.now() < until; nextCase = Number(read(outDir, 'case') || nextCase) + 1) {
    totals.processes += 1
    const child = startWorker([target, outDir, String(seed), String(nextCase), String(until)])
    const { death, ready } = await watch(child, outDir, onMessage)
    if (!ready) throw new Error(`The worker of ${target} does not start: ${death ?? ''}`)
    if (death === undefined) continue
    totals.cases += 1
    const input = join(outDir, 'current')
    // On a busy computer, a process may also be slow or be killed without a fault. The input therefore counts only if a
    // second process also fails.
    const [again] = await replay(target, [input])
    if (again === undefined || !('failure' in again)) totals.unconfirmed += 1
    else
      findings.add('death', `${read(outDir, 'stage')}, case ${read(outDir, 'case')}: ${death}`, [readFileSync(input)])
  }
  clearInterval(writing)
  write()
  return summary()
}

/** Creates a collection of findings by kind. It writes the first inputs of each kind to files. */
function createFindings(target: TargetName, seed: number, outDir: string) {
  const findings = new Map<string, { times: number; files: string[] }>()
  return {
    add(what: string, detail: string, inputs: readonly Buffer[]): void {
      const kind = kindOf(what, detail)
      const known = findings.get(kind) ?? { times: 0, files: [] }
      findings.set(kind, known)
      known.times += 1
      if (known.files.length >= FILES_PER_FINDING) return
      for (const [index, input] of inputs.entries()) {
        const name = `${what}-${hash('sha256', kind).slice(0, 8)}-${hash('sha256', input).slice(0, 12)}-${index}`
        writeFileSync(join(outDir, 'findings', name), input)
        writeFileSync(join(outDir, 'findings', `${name}.txt`), `${what}\nseed ${seed}\n${detail}\n`)
        known.files.push(name)
      }
      console.log(`${target}: ${kind}`)
    },
    list: (): Summary['findings'] => Array.from(findings, ([kind, finding]) => ({ kind, ...finding })),
  }
}

function startWorker(args: string[]): ChildProcess {
  // File descriptor 4 is the pipe for the notes of the watchdog.
  const stdio: StdioOptions = ['ignore', 'ignore', 'pipe', 'ipc', 'ignore']
  return fork(new URL('../worker.ts', import.meta.url), args, { ...PROCESS, stdio })
}

/** Waits for the end of a worker. Kills the worker if one case takes too long. */
async function watch(child: ChildProcess, dir: string, onMessage: (message: WorkerMessage) => void) {
  let [stderr, ready, death] = ['', false, undefined as string | undefined]
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-2000)
  })
  const startedAt = Date.now()
  const timer = setInterval(() => {
    const since = ready ? Math.max(startedAt, changedAt(join(dir, 'current'))) : startedAt
    if (Date.now() - since < HANG_MS) return
    death = `longer than ${HANG_MS} ms`
    child.kill('SIGKILL')
  }, 1000)
  child.on('message', (message: WorkerMessage) => {
    if (message.kind === 'ready') ready = true
    onMessage(message)
  })
  await new Promise<void>((resolve) => {
    child.once('close', (code, signal) => {
      if (code !== 0) death ??= `${signal ?? `exit code ${code}`} ${stderr}`
      resolve()
    })
  })
  clearInterval(timer)
  return { death, ready }
}

function changedAt(path: string): number {
  try {
    return statSync(path).mtimeMs
  } catch {
    return 0
  }
}

function read(dir: string, file: string): string {
  return readdirSync(dir).includes(file) ? readFileSync(join(dir, file), 'utf8') : ''
}

/** Returns a name for the kind of a finding. Findings that differ only in numbers and paths have the same name. */
function kindOf(what: string, detail: string): string {
  const frame = /^ +at .*?(src\/[\w/.-]+\.ts|[\w.-]+\.m?js)/m.exec(detail)?.[1] ?? ''
  const first = detail.split('\n')[0] ?? ''
  return `${what}: ${first.replaceAll(/\/\S+|[0-9a-f]{16,}|\d+/g, 'N')} ${frame}`.slice(0, 300)
}
