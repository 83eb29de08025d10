/**
 * The thread that makes the requests to servers that users chose, because a server can make a TLS handshake take a second
 * of processor time, which nothing can interrupt.
 */
import { getPriority, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { SourceFailed } from '../../platform/uploads/source.ts'
import { createFileSource } from '../transport/file-source.ts'
import { createSender } from '../transport/sender.ts'
import type { Command, Report, ThreadOptions } from './messages.ts'

const NICENESS = 5
const LOWEST_PRIORITY = 19

const options = workerData as ThreadOptions
const sender = createSender(options)
const source = createFileSource(options)
const stopping = new AbortController()

interface OpenFile {
  controller: AbortController
  parts?: AsyncIterator<Buffer>
}

const files = new Map<number, OpenFile>()

function report(message: Report, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer)
}

function failed(id: number, error: unknown): void {
  if (!files.delete(id)) return
  const { kind, message } = error instanceof SourceFailed ? error : new SourceFailed('unavailable', String(error))
  report({ id, kind: 'failed', reason: kind, detail: message })
}

async function open(id: number, url: string, share: string): Promise<void> {
  const file: OpenFile = { controller: new AbortController() }
  files.set(id, file)
  const stream = await source.open(url, { share, signal: file.controller.signal })
  if (!files.has(id)) {
    stream.destroy()
    return
  }
  file.parts = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  report({ id, kind: 'opened' })
}

async function sendPart(id: number, parts: AsyncIterator<Buffer>): Promise<void> {
  const { done, value } = await parts.next()
  if (done === true) {
    files.delete(id)
    report({ id, kind: 'ended' })
    return
  }
  // A copy, because the buffer may be part of a larger one, which would be sent as a whole.
  const bytes = new Uint8Array(value)
  report({ id, kind: 'part', bytes }, [bytes.buffer])
}

function abort(id: number): void {
  const file = files.get(id)
  files.delete(id)
  file?.controller.abort()
  file?.parts?.return?.().catch(() => undefined)
}

function obey(command: Command): void {
  if (command.kind === 'stop') {
    stopping.abort()
    return
  }
  const { id } = command
  if (command.kind === 'send') {
    sender.send(command.request).then(
      (outcome) => report({ id, kind: 'outcome', outcome }),
      (error: Error) => report({ id, kind: 'rejected', message: error.message }),
    )
  } else if (command.kind === 'open') {
    open(id, command.url, command.share).catch((error: unknown) => failed(id, error))
  } else if (command.kind === 'abort') abort(id)
  else {
    const parts = files.get(id)?.parts
    if (parts !== undefined) sendPart(id, parts).catch((error: unknown) => failed(id, error))
  }
}

// Elsewhere, threads have no priority of their own.
if (process.platform === 'linux') setPriority(Math.min(LOWEST_PRIORITY, getPriority() + NICENESS))
stopping.signal.addEventListener('abort', () => void sender.close(AbortSignal.abort()))
parentPort?.on('message', obey)
