import { type Checksum, createChecksum } from '../../cryptography/checksum.ts'

/** What passed through a meter. */
export type Measured = ReturnType<Checksum['read']>

export interface Meter {
  /** Passes chunks on unchanged. Use it as a step of a pipeline. */
  pass(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer>
  /** Returns the sums after the pipeline has ended. */
  read(): Measured & { lines: number }
}

const NEWLINE = 0x0a

/** Creates a meter, which computes size, number of lines and SHA-256 of the data of a pipeline. */
export function createMeter(): Meter {
  const checksum = createChecksum()
  let lines = 0
  return {
    pass: async function* (chunks) {
      for await (const chunk of checksum.pass(chunks)) {
        lines += countLines(chunk)
        yield chunk
      }
    },
    read: () => ({ ...checksum.read(), lines }),
  }
}

function countLines(chunk: Buffer): number {
  let lines = 0
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1
  return lines
}
