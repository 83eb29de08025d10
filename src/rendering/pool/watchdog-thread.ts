import { workerData } from 'node:worker_threads'
import { WATCH_BUSY, WATCH_IDLE, type WatchdogData } from './watchdog.ts'

const CHECK_EVERY_MS = 25

const { state, limitBytes, parentPid } = workerData as WatchdogData

// The parent reads a SIGKILL that it did not send as "out of memory", which is also what the kernel's killer means.
const mustDie = () => process.ppid !== parentPid || process.memoryUsage.rss() > limitBytes

for (;;) {
  Atomics.wait(state, 0, WATCH_IDLE)
  while (Atomics.load(state, 0) === WATCH_BUSY) {
    if (mustDie()) process.kill(process.pid, 'SIGKILL')
    Atomics.wait(state, 0, WATCH_BUSY, CHECK_EVERY_MS)
  }
}
