import { Agent, type AgentOptions, type RequestOptions } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { Duplex } from 'node:stream'
import { Worker } from 'node:worker_threads'
import { networkOfShare } from '../../../platform/fair-share.ts'
import type { Command, Opening, Report } from './messages.ts'

/** In megabytes. The thread holds few bytes of each connection. */
const HEAP_MB = 128

/** Options of a request through a `ThreadAgent`. */
export interface SharedRequest {
  /** Whose request it is (`findShare`). The TLS handshakes of the share, or of the visitors of its network, may take only
   * some processor time together. */
  share: string
}

/**
 * An agent whose connections are made by a thread of their own (`tls-thread.ts`), so that no server can stop the event
 * loop. Requests need a `share`.
 */
export class ThreadAgent extends Agent {
  readonly #lookup: LookupFunction
  readonly #ca: string | undefined

  constructor({ lookup, ca, ...options }: AgentOptions & { lookup: LookupFunction; ca?: string | undefined }) {
    super(options)
    this.#lookup = lookup
    this.#ca = ca
  }

  override createConnection(options: RequestOptions & Partial<SharedRequest>): Duplex {
    const { host, port, servername, share = '' } = options
    const socket = new ThreadSocket()
    const name = host ?? ''
    const open = (addresses: Opening['addresses']) =>
      socket.open({
        host: name,
        servername: servername ?? '',
        port: Number(port),
        addresses,
        ca: this.#ca,
        share: networkOfShare(share),
      })
    const family = isIP(name)
    if (family !== 0) open([{ address: name, family }])
    else {
      this.#lookup(name, { all: true }, (error, addresses) => {
        if (error) socket.destroy(error)
        else open(addresses as Opening['addresses'])
      })
    }
    return socket
  }
}

/** A connection that the thread makes. Emits `connect` and `secureConnect` like a `TLSSocket`. */
class ThreadSocket extends Duplex {
  connecting = true
  timeout = 0
  #id: number | undefined
  #timer: NodeJS.Timeout | undefined
  #isSecured = false
  /** What was asked for before the connection is secure. */
  #waiting: (() => void)[] = []
  #written: (() => void) | undefined

  constructor() {
    super({ allowHalfOpen: false })
  }

  open(opening: Opening): void {
    if (this.destroyed) return
    this.#id = register(this)
    this.#command({ kind: 'open', opening })
  }

  /** Follows a report of the thread. */
  follow(report: Report): void {
    this.#touch()
    if (report.kind === 'connected') this.#connected()
    else if (report.kind === 'secured') this.#secured()
    else if (report.kind === 'bytes') this.push(report.bytes)
    else if (report.kind === 'ended') this.push(null)
    else if (report.kind === 'closed') this.#closed(report.error)
    else this.#written?.()
  }

  override _read(): void {
    this.#whenSecured(() => this.#command({ kind: 'read' }))
  }

  override _write(bytes: Uint8Array, _encoding: BufferEncoding, written: () => void): void {
    this.#written = written
    this.#whenSecured(() => this.#command({ kind: 'write', bytes }))
  }

  override _final(ended: () => void): void {
    this.#command({ kind: 'end' })
    ended()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#timer)
    this.#command({ kind: 'destroy' })
    if (this.#id !== undefined) sockets.delete(this.#id)
    done(error)
  }

  /** As `net.Socket`: emits `timeout` when nothing has happened for this long; `0` ends that. */
  setTimeout(ms: number, onTimeout?: () => void): this {
    this.timeout = ms
    if (onTimeout !== undefined) this.once('timeout', onTimeout)
    this.#touch()
    return this
  }

  // What `node:http` calls on each socket. The thread keeps no process alive.
  setKeepAlive(): this {
    return this
  }
  setNoDelay(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }

  #touch(): void {
    clearTimeout(this.#timer)
    if (this.timeout > 0) this.#timer = setTimeout(() => this.emit('timeout'), this.timeout).unref()
  }

  #connected(): void {
    this.connecting = false
    this.emit('connect')
  }

  #secured(): void {
    this.#isSecured = true
    this.emit('secureConnect')
    for (const ask of this.#waiting.splice(0)) ask()
  }

  #whenSecured(ask: () => void): void {
    if (this.#isSecured) ask()
    else this.#waiting.push(ask)
  }

  #closed(error: { code: string; message: string } | undefined): void {
    if (error !== undefined) this.destroy(Object.assign(new Error(error.message), { code: error.code }))
    else if (this.readableEnded) this.destroy()
    else {
      this.once('end', () => this.destroy())
      this.push(null)
    }
  }

  #command(command: DistributedOmit<Command, 'id'>): void {
    if (this.#id !== undefined) thread().postMessage({ ...command, id: this.#id })
  }
}

type DistributedOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never

const sockets = new Map<number, ThreadSocket>()
let lastId = 0
let running: Worker | undefined

function register(socket: ThreadSocket): number {
  lastId += 1
  sockets.set(lastId, socket)
  return lastId
}

/** Returns the thread of this process. It starts with the first connection, and again if it has died. */
function thread(): Worker {
  if (running !== undefined) return running
  const worker = new Worker(new URL('./tls-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  })
  worker.on('message', (report: Report) => sockets.get(report.id)?.follow(report))
  worker.on('error', (error) => process.emitWarning(String(error)))
  worker.on('exit', () => {
    if (running === worker) running = undefined
    const lost = [...sockets.values()]
    sockets.clear()
    for (const socket of lost)
      socket.destroy(Object.assign(new Error('the thread of the connection ended'), { code: 'ECONNRESET' }))
  })
  worker.unref()
  running = worker
  return worker
}
