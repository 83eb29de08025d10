import { createHash } from 'node:crypto'

export interface Checksum {
  /** Passes chunks on unchanged. Use it as a step of a pipeline. */
  pass(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer>
  /** Returns the result after the pipeline has ended. */
  read(): { sha256: string; bytes: number }
}

/** Creates a checksum, which computes size and SHA-256 of the data of a pipeline. */
export function createChecksum(): Checksum {
  const hash = createHash('sha256')
  let bytes = 0
  return {
    pass: async function* (chunks) {
      for await (const chunk of chunks) {
        hash.update(chunk)
        bytes += chunk.length
        yield chunk
      }
    },
    read: () => ({ sha256: hash.digest('hex'), bytes }),
  }
}
