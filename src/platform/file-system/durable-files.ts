import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Creates a folder and its parent folders so that they survive a power failure. An existing folder stays unchanged. */
export async function makeDirDurably(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (code !== 'ENOENT') throw error
    await makeDirDurably(dirname(path))
    return makeDirDurably(path)
  }
  await syncDir(dirname(path))
}

export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.datasync()
  } finally {
    await file.close()
  }
}

/** A new or renamed file survives a power failure only if its folder is flushed too. */
export async function syncDir(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const dir = await open(path, 'r')
  try {
    await dir.sync()
  } finally {
    await dir.close()
  }
}
