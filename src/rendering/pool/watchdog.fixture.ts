// A process for tests of the watchdog. It gets commands from its parent, and writes notes as a child of the pool does.
import { setTimeout as sleep } from 'node:timers/promises'
import { startWatchdog } from './watchdog.ts'

const IDLE_MS = 300

const watchdog = startWatchdog({ memoryLimitMb: 400, cpuLimitMs: 0, idleMs: IDLE_MS })
const { notify } = Atomics
let running = 0
let job = 0
process.on('worker', (worker) => {
  running += 1
  worker.once('exit', () => {
    running -= 1
  })
})

const commands = {
  begin: () => {
    job += 1
    watchdog.jobStarts(job)
    watchdog.atStep(1)
  },
  /** Begins a job as if it found the thread while its last wait ends. */
  beginAtEnd: () => {
    Atomics.notify = () => 0
    commands.begin()
    Atomics.notify = notify
  },
  end: () => watchdog.jobEnds(),
  threads: () => process.send?.(running),
  untilEnded: async () => {
    while (running > 0) await sleep(5)
    process.send?.(running)
  },
  hoard: () => {
    const hoarded: Buffer[] = []
    for (;;) hoarded.push(Buffer.alloc(16 * 1024 * 1024, 1))
  },
}

process.on('message', (command: keyof typeof commands) => commands[command]())
process.on('disconnect', () => process.exit())
