import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/**
 * Reads a file and verifies its hash, so that a damaged disk cannot change a print file.
 *
 * @param file its `path`, and the expected `sha256` in hexadecimal
 * @throws Error if the content has another hash
 */
export async function readVerified({ path, sha256 }: { path: string; sha256: string }): Promise<Buffer> {
  const bytes = await readFile(path)
  if (hash('sha256', bytes) !== sha256)
    throw new Error(`The file ${sha256} is damaged: its content has another SHA-256`)
  return bytes
}
