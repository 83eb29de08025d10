import { Readable } from 'node:stream'

/** Bodies up to this size are written in one call. */
export const PIECE_BYTES = 64 * 1024

/**
 * Turns a body into a stream of pieces. If a body were written in one call, Node.js would count its bytes as sent only
 * when all of them are. A slow client could then not be distinguished from a client that reads nothing.
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
