import type { EventEmitter } from 'node:events'
import { Readable, Writable } from 'node:stream'
import type { ClientBase } from 'pg'

/** The part of a connection of `pg` that COPY needs. The types of the library do not declare all of it. */
interface CopyConnection {
  stream: EventEmitter & { pause(): unknown; resume(): unknown; writableNeedDrain: boolean }
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(reason: string): void
}

/** Rows arrive one message each. They are collected to chunks of this size, which are cheaper to compress and write. */
const CHUNK_BYTES = 64 * 1024

/**
 * Runs `copy ... to stdout` and returns its data. The connection is busy until the stream has ended. If the stream is
 * destroyed before, close the connection.
 */
export function copyOut(client: ClientBase, statement: string): Readable {
  return client.query(new CopyOut(statement) as CopyOut & { submit(connection: unknown): void })
}

/**
 * Runs `copy ... from stdin` and returns a stream that takes its data. The stream finishes when the server has stored
 * all rows.
 */
export function copyIn(client: ClientBase, statement: string): Writable {
  return client.query(new CopyIn(statement) as CopyIn & { submit(connection: unknown): void })
}

class CopyOut extends Readable {
  readonly #statement: string
  #connection: CopyConnection | undefined
  #chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  #filled = 0

  constructor(statement: string) {
    super({ highWaterMark: 4 * CHUNK_BYTES })
    this.#statement = statement
  }

  submit(connection: CopyConnection): void {
    this.#connection = connection
    connection.query(this.#statement)
  }

  override _read(): void {
    this.#connection?.stream.resume()
  }

  /** Copies the row, because the library reuses the memory of its messages. */
  handleCopyData({ chunk: row }: { chunk: Buffer }): void {
    if (this.destroyed) return
    if (row.length > CHUNK_BYTES - this.#filled) this.#flush()
    if (row.length > CHUNK_BYTES) this.#give(Buffer.from(row))
    else this.#filled += row.copy(this.#chunk, this.#filled)
  }

  handleCommandComplete(): void {
    this.#flush()
  }

  handleReadyForQuery(): void {
    this.push(null)
  }

  handleError(error: Error): void {
    this.destroy(error)
  }

  #flush(): void {
    if (this.#filled === 0) return
    const chunk = this.#chunk.subarray(0, this.#filled)
    this.#chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    this.#filled = 0
    this.#give(chunk)
  }

  #give(chunk: Buffer): void {
    if (!this.push(chunk)) this.#connection?.stream.pause()
  }
}

class CopyIn extends Writable {
  readonly #statement: string
  readonly #opened = Promise.withResolvers<CopyConnection>()
  readonly #completed = Promise.withResolvers<void>()

  constructor(statement: string) {
    super()
    this.#statement = statement
    for (const { promise } of [this.#opened, this.#completed]) promise.catch(() => undefined)
  }

  submit(connection: CopyConnection): void {
    connection.query(this.#statement)
  }

  handleCopyInResponse(connection: CopyConnection): void {
    if (this.destroyed) connection.sendCopyFail('the source of the rows failed')
    else this.#opened.resolve(connection)
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.#opened.promise.then((connection) => {
      connection.sendCopyFromChunk(chunk)
      if (connection.stream.writableNeedDrain) connection.stream.once('drain', () => done())
      else done()
    }, done)
  }

  override _final(done: (error?: Error) => void): void {
    this.#opened.promise
      .then((connection) => {
        connection.endCopyFrom()
        return this.#completed.promise
      })
      .then(() => done(), done)
  }

  /** Without this message, the server would wait for further rows. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (error !== null) {
      this.#opened.promise.then(
        (connection) => connection.sendCopyFail('the source of the rows failed'),
        () => undefined,
      )
    }
    done(error)
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#completed.resolve()
  }

  handleError(error: Error): void {
    this.#opened.reject(error)
    this.#completed.reject(error)
    this.destroy(error)
  }
}
