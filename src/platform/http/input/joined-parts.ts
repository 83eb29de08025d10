import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { passOverBody } from '../connections/stop-parser.ts'
import { createReadingTurns, needsTurn, type ReadParts, type WaitToRead } from './reading-turns.ts'
import { hasTooManyParts } from './short-parts.ts'

/**
 * Number of parts at the beginning of a body that are passed on unchanged. Most bodies have no more parts than this.
 */
const UNJOINED_PARTS = 16

/** Parts of at least this size are passed on unchanged. */
const LONG_PART_BYTES = 4 * 1024

const JOINED_BYTES = 16 * 1024

/** How long the rest of a body may take after the response to its request, and how long none of it may arrive. */
const REST_MS = 30_000
const SILENCE_MS = 5_000

export interface ReadingOptions {
  /** Default: as `createReadingTurns`. Tests decide when a socket is read. */
  waitToRead?: WaitToRead
  /** Default: `REST_MS` and `SILENCE_MS`. Tests set short times. */
  restMs?: number
  silenceMs?: number
}

/**
 * Returns a class of requests for `createServer` of `node:http` that joins the short parts of a body.
 *
 * A chunk of one byte takes 6 bytes on the wire (RFC 9112, section 7.1), but hundreds of bytes of memory and more than
 * a microsecond of processing. Short parts that arrive together are therefore copied into one buffer, and the socket is
 * read again when it is its turn (`createReadingTurns`). A body that continues after the response has such turns too.
 *
 * @param refuse called once if a body has too many parts that are too short. The remaining body is not read.
 *   `isAnswered` states whether the response was sent already: for example, the response to a bad credential does not
 *   wait for the body
 */
export function joiningRequests(
  refuse: (socket: Socket, request: { isAnswered: boolean }) => void,
  { waitToRead = createReadingTurns(), restMs = REST_MS, silenceMs = SILENCE_MS }: ReadingOptions = {},
): typeof IncomingMessage {
  return class extends IncomingMessage {
    private parts = 0
    private bytes = 0
    private isRefused = false
    private isAnswered = false
    /** Called for each part after the response. */
    private onRest: (() => void) | undefined
    private joined: Buffer | undefined
    private joinedBytes = 0
    private unpaid: ReadParts = { reads: 0, parts: 0, bytes: 0 }
    /** Whether `pay` is to run after the parts of a read, or waits for the turn of the socket. */
    private isToPay = false
    /** Whether the reader of the body has asked for more while the socket waits for its turn. */
    private isAwaited = false

    /** Receives each part of the body from the HTTP parser, and null at the end of the body. */
    override push(part: Buffer | null): boolean {
      if (this.isRefused) return false
      if (part === null) {
        this.passOn()
        return super.push(null)
      }
      this.parts += 1
      this.bytes += part.length
      if (hasTooManyParts(this.parts, this.bytes)) {
        this.isRefused = true
        passOverBody(this.socket)
        refuse(this.socket, { isAnswered: this.isAnswered })
        return false
      }
      const isShort = this.parts > UNJOINED_PARTS && part.length < LONG_PART_BYTES
      if (isShort || this.isAnswered) this.count(part)
      this.onRest?.()
      if (isShort) this.join(part)
      else {
        this.passOn()
        super.push(part)
      }
      // Returning false stops the parser from reading the socket until `_read`.
      return !this.mustWait && this.readableLength + this.joinedBytes < this.readableHighWaterMark
    }

    /** Called by Node.js if the reader of the body has caught up. Reads the socket. */
    override _read(size: number): void {
      if (this.mustWait) this.isAwaited = true
      else super._read(size)
    }

    /** Whether the socket is read again only when it is its turn. */
    private get mustWait(): boolean {
      return this.isToPay && (this.isAnswered || needsTurn(this.unpaid))
    }

    /**
     * Called by Node.js if the response has ended before the body. Replaces the method of Node.js, which would read the
     * body without calling `push`.
     */
    _dump(): void {
      this.isAnswered = true
      if (!this.complete) this.limitRest()
      this.removeAllListeners('data')
      this.resume()
    }

    /** The client has its response. It stops sending, or is cut. */
    private limitRest(): void {
      const cut = () => this.socket.destroy()
      const timers = [silenceMs, restMs].map((ms) => setTimeout(cut, ms).unref())
      this.onRest = () => timers[0]?.refresh()
      this.once('close', () => timers.forEach(clearTimeout))
    }

    private count(part: Buffer): void {
      if (!this.isToPay) {
        this.isToPay = true
        this.unpaid.reads += 1
        // Runs after the parts of one read of the socket, each of which arrives in a tick of its own.
        setImmediate(() => this.pay())
      }
      this.unpaid.parts += 1
      this.unpaid.bytes += part.length
    }

    private async pay(): Promise<void> {
      this.passOn()
      if (this.isRefused) return
      if (needsTurn(this.unpaid)) {
        await waitToRead(this.socket, this.unpaid)
        this.unpaid = { reads: 0, parts: 0, bytes: 0 }
        // More parts may have arrived meanwhile.
        this.passOn()
      }
      this.isToPay = false
      if (!this.isAwaited && !this.isAnswered) return
      this.isAwaited = false
      this._read(0)
    }

    private join(part: Buffer): void {
      if (this.joinedBytes + part.length > JOINED_BYTES) this.passOn()
      this.joined ??= Buffer.allocUnsafeSlow(JOINED_BYTES)
      part.copy(this.joined, this.joinedBytes)
      this.joinedBytes += part.length
    }

    private passOn(): void {
      const { joined, joinedBytes } = this
      if (joined === undefined) return
      this.joined = undefined
      this.joinedBytes = 0
      if (!this.destroyed) super.push(Buffer.from(joined.subarray(0, joinedBytes)))
    }
  }
}
