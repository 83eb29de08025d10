import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SecretError } from '../../platform/cryptography/secret-error.ts'
import { syncDir } from '../../platform/file-system/durable-files.ts'

const NAME = 'secret.key'
/** The new secret, while a rotation runs. At its end, it replaces `secret.key`. */
const NEXT_NAME = 'secret.key.next'

/** Where the secret of the service comes from: a setting, or else a file in the data folder. */
export interface SecretSource {
  dataDir: string
  /** In base64url. */
  secretKey?: string | undefined
  /** The setting, for messages. */
  secretKeyName?: string | undefined
  /** The secret before `secretKey`, which the service accepts until the rotation is complete. */
  previousSecretKey?: string | undefined
}

/**
 * Reads all secrets that the service accepts, newest first: two while the secret is rotated, otherwise one. Returns none
 * if no secret exists yet.
 *
 * @throws {SecretError} if a file is malformed or cannot be read
 */
export async function readSecrets(source: SecretSource): Promise<Buffer[]> {
  const { dataDir, secretKey, previousSecretKey } = source
  if (secretKey !== undefined) {
    const texts = previousSecretKey === undefined ? [secretKey] : [secretKey, previousSecretKey]
    return texts.map((text) => Buffer.from(text, 'base64url'))
  }
  // In this order: if the rotation ends in between, the second file is the new secret.
  const next = await readSecretFile(nextPath(dataDir))
  const own = await readSecretFile(secretPath(dataDir))
  const found = [next, own].filter((secret) => secret !== undefined)
  return next !== undefined && own?.equals(next) === true ? [next] : found
}

/** Names the source of the secret in messages: the setting, or else the file. */
export function nameOfSecret({ dataDir, secretKey, secretKeyName = 'PLATEN_SECRET_KEY' }: SecretSource): string {
  return secretKey === undefined ? secretPath(dataDir) : secretKeyName
}

export function secretPath(dataDir: string): string {
  return join(dataDir, NAME)
}

export function nextPath(dataDir: string): string {
  return join(dataDir, NEXT_NAME)
}

/**
 * Reads the secret of the service: 256 bits that a copy of the database does not contain. Returns undefined if no
 * secret exists yet. It also restricts the permissions of the file to its owner.
 *
 * @throws {SecretError} if the file is malformed or cannot be read
 */
export async function readSecret({ dataDir, secretKey }: SecretSource): Promise<Buffer | undefined> {
  return secretKey === undefined ? readSecretFile(secretPath(dataDir)) : Buffer.from(secretKey, 'base64url')
}

async function readSecretFile(path: string): Promise<Buffer | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new SecretError(
      `${path} cannot be read: ${(error as Error).message}. Run Platen as the user who owns the file.`,
    )
  }
  if (!/^[A-Za-z0-9_-]{43}\n?$/.test(text)) {
    throw new SecretError(
      `${path} is damaged: expected 43 characters of base64url. Copy it from another node, set PLATEN_SECRET_KEY, or run ` +
        '"platen restore": a backup has the secret only encrypted.',
    )
  }
  // The end of a rotation may have removed the file in the meantime.
  const state = await stat(path).catch(() => undefined)
  if (state !== undefined && (state.mode & 0o077) !== 0) await chmod(path, 0o600)
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
  await writeDurably(secretPath(dataDir), secret)
}

/** Creates the next secret, unless an interrupted rotation has created one. Returns it. */
export async function ensureNextSecret(dataDir: string): Promise<Buffer> {
  const existing = await readSecretFile(nextPath(dataDir))
  if (existing !== undefined) return existing
  await writeDurably(nextPath(dataDir), randomBytes(32))
  const secret = await readSecretFile(nextPath(dataDir))
  if (secret === undefined) throw new Error(`${nextPath(dataDir)} disappeared during its creation.`)
  return secret
}

/** Replaces the secret by the next one, in one step that a power cut cannot divide. */
export async function promoteNextSecret(dataDir: string): Promise<void> {
  await rename(nextPath(dataDir), secretPath(dataDir))
  await syncDir(dataDir)
}

async function writeDurably(path: string, secret: Buffer): Promise<void> {
  const temporary = `${path}.${process.pid}.new`
  const file = await open(temporary, 'w', 0o600)
  try {
    await file.writeFile(`${secret.toString('base64url')}\n`)
    await file.datasync()
  } finally {
    await file.close()
  }
  try {
    // Unlike a rename, a link never replaces an existing file.
    await link(temporary, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  await rm(temporary)
  await syncDir(dirname(path))
}
