import { workerData } from 'node:worker_threads'
import {
  type KillReason,
  STATE_ACTIVITY,
  STATE_JOB,
  STATE_STEP,
  stepNote,
  WATCH_BUSY,
  WATCH_ENDED,
  WATCH_IDLE,
  type WatchdogData,
  writeNote,
} from './watchdog.ts'

const CHECK_EVERY_MS = 25
/** The pool learns of the processor time of a running job in steps of this length. */
const CPU_STEP_MS = 100

const { state, limitBytes, cpuLimitMs, idleMs, parentPid } = workerData as WatchdogData

const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

let job = 0
let cpuMsBefore = 0
let notedStep = -1
let notedCpuMs = 0

/**
 * Starts to count processor time for a new job. A job can begin and end between two checks, so the function compares
 * the number of the job.
 */
function noticeJob() {
  const running = Atomics.load(state, STATE_JOB)
  if (running === job) return
  job = running
  cpuMsBefore = cpuMs()
  notedStep = -1
  notedCpuMs = 0
}

function noteCpu(usedMs: number): void {
  if (usedMs - notedCpuMs < CPU_STEP_MS) return
  notedCpuMs = usedMs
  writeNote(`cpu ${job} ${Math.round(usedMs)}`)
}

/**
 * Reports a step as soon as it changes. It would be lost otherwise, because V8 ends a process without warning when its
 * heap is full.
 */
function noteStep() {
  const step = Atomics.load(state, STATE_STEP)
  if (step === notedStep) return
  notedStep = step
  writeNote(stepNote(state))
}

function kill(reason?: KillReason): void {
  if (reason !== undefined) {
    writeNote(stepNote(state))
    writeNote(`killed ${reason}`)
  }
  process.kill(process.pid, 'SIGKILL')
}

/** Returns whether no job has come for `idleMs`. The next one then starts another thread. */
function isOver(): boolean {
  if (Atomics.wait(state, STATE_ACTIVITY, WATCH_IDLE, idleMs) !== 'timed-out') return false
  // A job may begin at the same time. It has either found this thread, which then watches it, or starts another one.
  return Atomics.compareExchange(state, STATE_ACTIVITY, WATCH_IDLE, WATCH_ENDED) === WATCH_IDLE
}

do {
  while (Atomics.load(state, STATE_ACTIVITY) === WATCH_BUSY) {
    noticeJob()
    if (process.ppid !== parentPid) kill()
    if (process.memoryUsage.rss() > limitBytes) kill('memory')
    const usedMs = cpuMs() - cpuMsBefore
    if (cpuLimitMs > 0 && usedMs > cpuLimitMs) kill('deadline')
    noteCpu(usedMs)
    noteStep()
    Atomics.wait(state, STATE_ACTIVITY, WATCH_BUSY, CHECK_EVERY_MS)
  }
} while (!isOver())
