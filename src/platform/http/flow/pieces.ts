import { Readable } from 'node:stream'

/** Bodies up to this size are written at once. */
export const PIECE_BYTES = 64 * 1024

/**
 * A body as a stream of pieces. Written as a whole, Node.js counts no byte of it as sent before all of it is, and
 * nothing could tell a slow reader from one that does not read.
 */
export function piecesOf(body: Buffer): Readable {
  let offset = 0
  return new Readable({
    highWaterMark: PIECE_BYTES,
    read() {
      const piece = body.subarray(offset, offset + PIECE_BYTES)
      offset += piece.length
      this.push(piece.length === 0 ? null : piece)
    },
  })
}
