import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const NAME = 'secret.key'

/** Where the secret of the service comes from: a setting, or else a file in the data folder. */
export interface SecretSource {
  dataDir: string
  /** In base64url. */
  secretKey?: string | undefined
}

/** Names the source of the secret in messages. */
export function nameOfSecret({ dataDir, secretKey }: SecretSource): string {
  return secretKey === undefined ? secretPath(dataDir) : 'The secret in PLATEN_SECRET_KEY or PLATEN_SECRET_KEY_FILE'
}

export function secretPath(dataDir: string): string {
  return join(dataDir, NAME)
}

/**
 * Reads the secret of the service: 256 bits that a copy of the database does not contain. Returns undefined if no
 * secret exists yet. It also restricts the permissions of the file to its owner.
 *
 * @throws if the file is malformed
 */
export async function readSecret({ dataDir, secretKey }: SecretSource): Promise<Buffer | undefined> {
  if (secretKey !== undefined) return Buffer.from(secretKey, 'base64url')
  const path = secretPath(dataDir)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  if (!/^[A-Za-z0-9_-]{43}\n?$/.test(text)) {
    throw new Error(`${path} is damaged: expected 43 characters of base64url. Restore it from a backup.`)
  }
  if (((await stat(path)).mode & 0o077) !== 0) await chmod(path, 0o600)
  return Buffer.from(text.trim(), 'base64url')
}

/** Creates the secret. If another process creates one at the same time, both use the one that exists first. */
export async function createSecret(dataDir: string): Promise<Buffer> {
  await writeSecret(dataDir, randomBytes(32))
  const secret = await readSecret({ dataDir })
  if (secret === undefined) throw new Error(`${secretPath(dataDir)} disappeared during its creation.`)
  return secret
}

/** Writes the secret durably, so that the file survives a power cut. Never replaces a secret that exists. */
export async function writeSecret(dataDir: string, secret: Buffer): Promise<void> {
  await mkdir(dataDir, { recursive: true })
  const temporary = `${secretPath(dataDir)}.${process.pid}.new`
  const file = await open(temporary, 'w', 0o600)
  try {
    await file.writeFile(`${secret.toString('base64url')}\n`)
    await file.datasync()
  } finally {
    await file.close()
  }
  try {
    // Unlike a rename, a link never replaces an existing file.
    await link(temporary, secretPath(dataDir))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  await rm(temporary)
  await syncDir(dataDir)
}

async function syncDir(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const dir = await open(path, 'r')
  try {
    await dir.sync()
  } finally {
    await dir.close()
  }
}
