import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/**
 * Reads a file that is named by its content: what is printed must be what the content hash names, also after a disk
 * has lied.
 *
 * @param file `sha256` in hexadecimal
 * @throws Error for a file of other bytes
 */
export async function readVerified({ path, sha256 }: { path: string; sha256: string }): Promise<Buffer> {
  const bytes = await readFile(path)
  if (hash('sha256', bytes) !== sha256) throw new Error(`The file ${sha256} is damaged: its SHA-256 is another`)
  return bytes
}
