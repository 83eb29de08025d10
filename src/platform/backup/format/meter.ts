import { createHash } from 'node:crypto'

/** What passed through a meter. */
export interface Measured {
  sha256: string
  bytes: number
}

export interface Meter {
  /** Passes chunks on unchanged. Use it as a step of a pipeline. */
  pass(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer>
  /** Returns the sums after the pipeline has ended. */
  read(): Measured & { lines: number }
}

const NEWLINE = 0x0a

/** Creates a meter, which computes size, number of lines and SHA-256 of the data of a pipeline. */
export function createMeter(): Meter {
  const hash = createHash('sha256')
  let [bytes, lines] = [0, 0]
  return {
    pass: async function* (chunks) {
      for await (const chunk of chunks) {
        hash.update(chunk)
        bytes += chunk.length
        lines += countLines(chunk)
        yield chunk
      }
    },
    read: () => ({ sha256: hash.digest('hex'), bytes, lines }),
  }
}

function countLines(chunk: Buffer): number {
  let lines = 0
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1
  return lines
}
