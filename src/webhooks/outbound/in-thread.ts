import { Readable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import { type FileSource, SourceFailed } from '../../platform/uploads/source.ts'
import { type Sender, type SendOutcome, targetRulesOf } from '../transport/sender.ts'
import { checkTarget } from '../transport/target.ts'
import type { Command, Report, ThreadOptions } from './messages.ts'

/** In megabytes. The thread holds some requests and parts of files. */
const HEAP_MB = 256

const ENDED = 'The program that makes the requests ended unexpectedly.'
const LOST: SendOutcome = { kind: 'failed', error: 'connection', detail: ENDED, durationMs: 0 }

/** Creates a sender whose requests are made by a thread, so that no receiver can stop the event loop. */
export function createThreadedSender(options: ThreadOptions): Sender {
  const thread = createThread(options)
  const running = new Set<Promise<SendOutcome>>()
  const rules = targetRulesOf(options)
  let isClosed = false
  return {
    send: (request) => {
      if (isClosed)
        return Promise.resolve({ kind: 'failed', error: 'closed', detail: 'The service is stopping.', durationMs: 0 })
      const outcome = new Promise<SendOutcome>((resolve, reject) => {
        thread.ask({ kind: 'send', request }, (report, end) => {
          end()
          if (report?.kind === 'rejected') reject(new Error(report.message))
          else resolve(report?.kind === 'outcome' ? report.outcome : LOST)
        })
      })
      running.add(outcome)
      const done = () => running.delete(outcome)
      outcome.then(done, done)
      return outcome
    },
    checkTarget: (url) => checkTarget(url, rules),
    close: async (signal) => {
      isClosed = true
      const stop = () => thread.tell({ kind: 'stop' })
      if (signal?.aborted === true) stop()
      signal?.addEventListener('abort', stop, { once: true })
      await Promise.allSettled(running)
      signal?.removeEventListener('abort', stop)
      await thread.end()
    },
  }
}

/** Creates a source of files whose requests are made by a thread, so that no server can stop the event loop. */
export function createThreadedFileSource(options: ThreadOptions): FileSource {
  const thread = createThread(options)
  return {
    open: (url, { share, signal }) =>
      new Promise((resolve, reject) => {
        let stream: Readable | undefined
        const id = thread.ask({ kind: 'open', url, share }, (report, end) => {
          if (report?.kind === 'part') stream?.push(report.bytes)
          else if (report?.kind === 'opened') {
            stream = opened()
            resolve(stream)
          } else {
            end()
            signal.removeEventListener('abort', abort)
            if (report?.kind === 'ended') stream?.push(null)
            else fail(report?.kind === 'failed' ? new SourceFailed(report.reason, report.detail) : lost())
          }
        })
        const abort = () => {
          thread.forget(id)
          thread.tell({ id, kind: 'abort' })
          fail(new SourceFailed('unavailable', 'The source did not send the file in time.'))
        }
        const opened = () =>
          new Readable({
            read: () => thread.tell({ id, kind: 'more' }),
            destroy: (error, done) => {
              signal.removeEventListener('abort', abort)
              thread.forget(id)
              thread.tell({ id, kind: 'abort' })
              done(error)
            },
          })
        const fail = (error: SourceFailed) => {
          if (stream === undefined) reject(error)
          else stream.destroy(error)
        }
        if (signal.aborted) abort()
        else signal.addEventListener('abort', abort, { once: true })
      }),
  }
}

const lost = () => new SourceFailed('unavailable', ENDED)

/** Takes the reports about one request. Undefined: the thread has ended. `end` forgets the request. */
type Listener = (report: Report | undefined, end: () => void) => void
type Asked = Extract<Command, { kind: 'send' | 'open' }>

/** A thread that starts with its first request, and again after it has died. It keeps no process alive. */
function createThread(options: ThreadOptions) {
  const listeners = new Map<number, Listener>()
  let lastId = 0
  let running: Worker | undefined

  const hear = (id: number, report: Report | undefined): void =>
    listeners.get(id)?.(report, () => void listeners.delete(id))

  const start = (): Worker => {
    const worker = new Worker(new URL('./outbound-thread.ts', import.meta.url), {
      workerData: options,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    })
    worker.on('message', (report: Report) => hear(report.id, report))
    worker.on('error', (error) => process.emitWarning(String(error)))
    worker.on('exit', () => {
      if (running === worker) running = undefined
      const lostIds = [...listeners.keys()]
      for (const id of lostIds) hear(id, undefined)
    })
    worker.unref()
    return worker
  }

  return {
    ask: (command: DistributedOmit<Asked, 'id'>, listener: Listener): number => {
      lastId += 1
      listeners.set(lastId, listener)
      running ??= start()
      running.postMessage({ ...command, id: lastId })
      return lastId
    },
    tell: (command: Command): void => running?.postMessage(command),
    forget: (id: number): void => void listeners.delete(id),
    end: async (): Promise<void> => {
      await running?.terminate()
    },
  }
}

type DistributedOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never
