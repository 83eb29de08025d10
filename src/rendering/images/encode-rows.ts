import { constants, createDeflate } from 'node:zlib'
import type { Rows } from './png.ts'

/** Decoded samples, with rows from top to bottom. Each pixel has `channels` samples of 8 bits. */
export type Samples = {
  widthPx: number
  heightPx: number
  channels: number
  /**
   * Returns the samples of the rows from `from` up to, but not including, `to`. The next call may overwrite the
   * returned buffer.
   */
  readRows(from: number, to: number): Buffer
}

/** Rows are filtered and compressed in pieces of about this size, to save memory. */
const PIECE_BYTES = 4 * 1024 * 1024
const PAETH = 4

/**
 * Compresses some channels of decoded samples losslessly as the rows of a PNG (W3C PNG, third edition, section 9).
 *
 * The bytes must be the same on every computer. Compressors search for repetitions in a way that depends on the
 * processor. This function therefore does not search: it predicts each sample from its neighbours and run-length
 * encodes the differences. Photos become a few percent larger, but take a third of the time.
 */
export async function encodeRows(
  samples: Samples,
  first: number,
  components: 1 | 3,
  pieceBytes = PIECE_BYTES,
): Promise<Rows> {
  const { widthPx, heightPx } = samples
  // An output chunk is as large as a piece, so the compressing thread notifies this thread only once per piece.
  const deflate = createDeflate({
    level: 6,
    memLevel: 9,
    strategy: constants.Z_RLE,
    chunkSize: Math.max(64, pieceBytes),
  })
  const parts: Buffer[] = []
  const done = new Promise<void>((resolve, reject) => {
    deflate.on('data', (part: Buffer) => parts.push(part)).once('end', resolve)
    deflate.once('error', reject)
  })
  const rowsAtOnce = Math.max(1, Math.floor(pieceBytes / (widthPx * components + 1)))
  // There are two buffers: a thread compresses one piece while this thread filters the next one.
  const places = [0, 1].map(() => Buffer.allocUnsafe(Math.min(heightPx, rowsAtOnce) * (widthPx * components + 1)))
  let written = Promise.resolve()
  for (let row = 0; row < heightPx; row += rowsAtOnce) {
    places.reverse()
    const toRow = Math.min(heightPx, row + rowsAtOnce)
    const piece = filterRows(samples, first, components, row, toRow, places[0] ?? Buffer.alloc(0))
    await written
    written = new Promise((resolve) => deflate.write(piece, () => resolve()))
  }
  deflate.end()
  await done
  return { bytes: Buffer.concat(parts), widthPx, heightPx, components }
}

function filterRows(
  { readRows, widthPx, channels }: Samples,
  first: number,
  components: number,
  fromRow: number,
  toRow: number,
  filtered: Buffer,
): Buffer {
  const stride = widthPx * channels
  const topRow = Math.max(0, fromRow - 1)
  const data = readRows(topRow, toRow)
  let out = 0
  for (let row = fromRow; row < toRow; row += 1) {
    filtered[out] = PAETH
    out += 1
    for (let component = 0; component < components; component += 1) {
      let at = (row - topRow) * stride + first + component
      let above = row === 0 ? -1 : at - stride
      let left = 0
      let corner = 0
      for (let to = out + component; to < out + widthPx * components; to += components) {
        const sample = data[at] ?? 0
        const up = above < 0 ? 0 : (data[above] ?? 0)
        filtered[to] = sample - paeth(left, up, corner)
        left = sample
        corner = up
        at += channels
        if (above >= 0) above += channels
      }
    }
    out += widthPx * components
  }
  return filtered.subarray(0, out)
}

function paeth(left: number, up: number, corner: number): number {
  const toLeft = Math.abs(up - corner)
  const toUp = Math.abs(left - corner)
  const toCorner = Math.abs(left + up - 2 * corner)
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}
