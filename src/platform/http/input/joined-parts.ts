import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** The first parts of a body are passed on as they are: most bodies have no more. */
const UNJOINED_PARTS = 16

/** Parts from this size on are passed on as they are. */
const LONG_PART_BYTES = 4 * 1024

const JOINED_BYTES = 16 * 1024

/** Many times what a client sends that writes a body piece by piece. */
const FREE_PARTS = 1024
const LEAST_MEAN_BYTES = 64

/**
 * Returns a class of requests for `createServer` of `node:http` that joins the short parts of a body.
 *
 * A chunk of one byte takes 6 bytes on the wire (RFC 9112, section 7.1), but hundreds of bytes of memory and more than a
 * microsecond until its body is complete. Short parts that arrive together are therefore copied into one buffer.
 *
 * @param refuse called once if the parts of a body are too many and too short. The rest of the body is not read. The
 *   request may be answered already: the response to a bad credential does not wait for the body.
 */
export function joiningRequests(
  refuse: (socket: Socket, request: { isAnswered: boolean }) => void,
): typeof IncomingMessage {
  return class extends IncomingMessage {
    private parts = 0
    private bytes = 0
    private isRefused = false
    private isAnswered = false
    private joined: Buffer | undefined
    private joinedBytes = 0

    /** Called by the HTTP parser with each part of the body, and with null at its end. */
    override push(part: Buffer | null): boolean {
      if (this.isRefused) return false
      if (part === null) {
        this.passOn()
        return super.push(null)
      }
      this.parts += 1
      this.bytes += part.length
      if (this.parts > FREE_PARTS + this.bytes / LEAST_MEAN_BYTES) {
        this.isRefused = true
        refuse(this.socket, { isAnswered: this.isAnswered })
        return false
      }
      if (this.parts <= UNJOINED_PARTS || part.length >= LONG_PART_BYTES) {
        this.passOn()
        return super.push(part)
      }
      this.join(part)
      // False stops reading from the socket until the body has been read.
      return this.readableLength + this.joinedBytes < this.readableHighWaterMark
    }

    /** Called by Node if the response has ended before the body. The method of Node has it read on without `push`. */
    _dump(): void {
      this.isAnswered = true
      this.removeAllListeners('data')
      this.resume()
    }

    private join(part: Buffer): void {
      if (this.joinedBytes + part.length > JOINED_BYTES) this.passOn()
      if (this.joined === undefined) {
        this.joined = Buffer.allocUnsafeSlow(JOINED_BYTES)
        // After all parts that one read of the socket has brought: each is a tick of its own.
        setImmediate(() => this.passOn())
      }
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
