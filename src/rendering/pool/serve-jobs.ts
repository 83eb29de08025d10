import { flushCompileCache } from 'node:module'
import { collectGarbage, collectGarbageOfStart } from '../../platform/processes/collect-garbage.ts'
import type {
  ChildReady,
  JobHandlers,
  JobReply,
  JobRequest,
  MemoryGranted,
  NumberedRequest,
  RunningJob,
} from './messages.ts'
import { connectPoolMemory, continueWithMemory } from './pool-memory.ts'
import { startWatchdog } from './watchdog.ts'

/**
 * Above this resident memory, the process collects garbage after some jobs. V8 knows little of the pixels that native code
 * keeps for its objects, and would let the process grow until the pool replaces it.
 */
const COLLECT_ABOVE_MB = 224
const JOBS_BETWEEN_COLLECTIONS = 16

let isServing = false

/**
 * Makes this process a child of a pool. For each request, the process calls the handler for the kind of job, one
 * request at a time. The pool passes the memory limit in MiB and the limit of processor time in milliseconds as
 * command-line arguments.
 */
export function serveJobs(handlers: JobHandlers): void {
  // Each request would get two replies.
  if (isServing) throw new Error('this process already serves jobs')
  isServing = true
  const watchdog = startWatchdog({ memoryLimitMb: Number(process.argv[2]), cpuLimitMs: Number(process.argv[3]) })
  const kindsDone = new Set<string>()
  let jobsSinceCollection = 0

  connectPoolMemory((message) => process.send?.(message))
  process.on('message', async (request: NumberedRequest | MemoryGranted) => {
    if ('granted' in request) return continueWithMemory(request.granted)
    const isWatched = request.isTrusted !== true
    if (isWatched) watchdog.jobStarts(request.number)
    const before = process.cpuUsage()
    const outcome = await runHandler(handlers, request, watchdog)
    if (isWatched) watchdog.jobEnds()
    const { user, system } = process.cpuUsage(before)
    const rssMb = process.memoryUsage.rss() / 1024 / 1024
    const reply: JobReply = { ...outcome, number: request.number, rssMb, cpuMs: (user + system) / 1000 }
    process.send?.(reply)
    // The pool ends this process with SIGKILL, so Node.js would never write its compile cache. The cache saves time for
    // processes that start later.
    if (!kindsDone.has(request.kind)) flushCompileCache()
    kindsDone.add(request.kind)
    jobsSinceCollection += 1
    if (rssMb > COLLECT_ABOVE_MB && jobsSinceCollection >= JOBS_BETWEEN_COLLECTIONS) {
      jobsSinceCollection = 0
      setImmediate(collectGarbage)
    }
  })

  process.on('disconnect', () => process.exit())
  // A terminal sends SIGINT (Ctrl-C) and a supervisor SIGTERM also to the child processes. They ignore both signals,
  // because the running job must finish. A child ends when its parent ends.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => {})

  process.send?.({ ready: true } satisfies ChildReady)
  collectGarbageOfStart()
}

async function runHandler(handlers: JobHandlers, request: JobRequest, job: RunningJob) {
  try {
    const handler = handlers[request.kind]
    if (handler === undefined) throw new Error(`No handler for jobs of kind ${request.kind}`)
    return { ok: true as const, value: await handler(request.input as never, job) }
  } catch (error) {
    // After a trap, the state of a WebAssembly module is undefined. The process ends, so that no later job uses this
    // state.
    if (error instanceof Error && error.name === 'RuntimeError') job.abort()
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
    return { ok: false as const, message, systemCode: syscall === undefined ? undefined : code }
  }
}
