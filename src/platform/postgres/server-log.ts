import { copyFile, open, rename, stat, truncate } from 'node:fs/promises'
import { hasErrorCode } from './programs/errors.ts'

export type ServerLog = Readonly<{
  path: string
  /** Opens it for a server to write to. Returns its descriptor, to be closed after the start, and its present length. */
  open(): Promise<{ descriptor: number; length: number; close(): Promise<void> }>
  /** What was written after a position, the last few lines of it. */
  readSince(position: number): Promise<string>
  /** Moves what has become long aside, to one earlier file, also while the server writes. */
  keepSmall(): Promise<void>
}>

const MAX_BYTES = 4 * 1024 * 1024
const TAIL_LINES = 20

export function createServerLog(path: string): ServerLog {
  return {
    path,
    async open() {
      await rotateWhenLong(path, () => rename(path, `${path}.1`))
      const file = await open(path, 'a', 0o600)
      const { size } = await file.stat()
      return { descriptor: file.fd, length: size, close: () => file.close() }
    },
    async readSince(position) {
      const file = await open(path, 'r')
      try {
        const { size } = await file.stat()
        const start = Math.max(position, size - 16_384)
        const { buffer, bytesRead } = await file.read({
          buffer: Buffer.alloc(Math.max(size - start, 0)),
          position: start,
        })
        return buffer.toString('utf8', 0, bytesRead).trim().split('\n').slice(-TAIL_LINES).join('\n')
      } finally {
        await file.close()
      }
    },
    async keepSmall() {
      // The server appends to the open file, so cutting it to nothing is safe; renaming it would not stop its growth.
      await rotateWhenLong(path, async () => {
        await copyFile(path, `${path}.1`)
        await truncate(path)
      })
    },
  }
}

async function rotateWhenLong(path: string, rotate: () => Promise<void>): Promise<void> {
  try {
    if ((await stat(path)).size > MAX_BYTES) await rotate()
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw error
  }
}
