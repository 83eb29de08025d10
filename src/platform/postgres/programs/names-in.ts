import { readdir } from 'node:fs/promises'
import { hasErrorCode } from './errors.ts'

/** Returns the names in a folder. A folder that does not exist has none. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return []
    throw error
  }
}
