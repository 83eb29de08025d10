import { copyFile, open, rename, stat, truncate } from 'node:fs/promises'
import { hasErrorCode } from './programs/errors.ts'

export type ServerLog = Readonly<{
  path: string
  /**
   * Opens the log for a server to write to. Returns the descriptor and the current length of the log. The caller closes
   * the descriptor after the start.
   */
  open(): Promise<{ descriptor: number; length: number; close(): Promise<void> }>
  /** Returns the last lines that were written after a position. */
  readSince(position: number): Promise<string>
  /** Moves a long log to a second file, also while the server writes. */
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
      // Truncates the log, which is safe because the server appends to the open file. After a rename, the server would
      // continue to write to the old file.
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
