// This module runs in its own thread. It requests /health/live repeatedly and reports the longest wait for a response.
import { readdirSync, readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

const { origin, pid } = workerData as { origin: string; pid: number }
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const pids = listPids()

let longestMs = 0
let asked = now()

interface Moment {
  wallMs: number
  /**
   * The processor time of the main thread of each process; undefined if the system does not report it (only Linux
   * does).
   */
  processorMs: (number | undefined)[]
}

/** Lists the process of the service, and its direct child processes that serve requests. */
function listPids(): number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
    return [pid, ...children.filter((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('api-process'))]
  } catch {
    return [pid]
  }
}

function now(): Moment {
  return { wallMs: performance.now(), processorMs: pids.map(processorMsOf) }
}

function processorMsOf(process: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${process}/task/${process}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return undefined
  }
}

/**
 * Returns how long the service delayed a response. The result is at most the time for which the event loop of the
 * service was busy, because the wait may have other causes, such as load from other processes.
 */
function waitedMs(from: Moment): number {
  const to = now()
  const wallMs = to.wallMs - from.wallMs
  const workedMs = to.processorMs.map((ms, index) => (ms ?? Number.POSITIVE_INFINITY) - (from.processorMs[index] ?? 0))
  return Math.min(wallMs, Math.max(...workedMs))
}

function ask(): Promise<void> {
  return new Promise((resolve, reject) => {
    asked = now()
    get(`${origin}/health/live`, { agent }, (answer) => {
      answer.resume().on('end', () => {
        longestMs = Math.max(longestMs, waitedMs(asked))
        resolve()
      })
    }).on('error', reject)
  })
}

parentPort?.on('message', (what: 'reset' | 'read') => {
  if (what === 'reset') longestMs = 0
  // The pending request counts with the time that it has waited so far.
  else parentPort?.postMessage(Math.max(longestMs, waitedMs(asked)))
})

for (;;) {
  await ask()
  await delay(2)
}
