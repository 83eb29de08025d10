import { createHash, randomBytes, type ScryptOptions, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { deriveKey as deriveFrom, seal, unseal } from '../../cryptography/sealed-box.ts'
import { BackupError } from './backup-error.ts'
import { digestOf, type Manifest, type SealedSecret, type Unsealed } from './manifest.ts'

/** 128 MiB of memory for each guess of the passphrase (OWASP recommends this cost for scrypt). */
const COST = { cost: 2 ** 17, blockSize: 8, parallelization: 1 } as const

/** A shorter passphrase could be guessed from the backup, despite the cost of each guess. */
export const MIN_PASSPHRASE_LENGTH = 12

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/**
 * Encrypts the secret of the service with a passphrase. The encryption also covers the manifest, and with its hashes
 * the whole backup: `unsealSecret` fails if anyone without the passphrase has changed a part and its hash.
 */
export async function sealSecret(secret: Buffer, passphrase: string, manifest: Unsealed): Promise<SealedSecret> {
  const salt = randomBytes(32)
  const key = await deriveKey(passphrase, salt, COST)
  const sealed = seal(key, secret, contextOf(manifest)).toString('base64')
  return { kdf: 'scrypt', ...COST, salt: salt.toString('base64'), sealed, fingerprint: fingerprintOf(secret) }
}

/** Returns what tells secrets apart and does not reveal them, in hexadecimal. They are random, so they cannot be guessed. */
export function fingerprintOf(secret: Buffer): string {
  return createHash('sha256').update(deriveFrom(secret, 'platen backup fingerprint 1')).digest('hex')
}

/** @throws {BackupError} if the passphrase is wrong or the manifest was changed */
export async function unsealSecret({ secret, ...manifest }: Manifest, passphrase: string): Promise<Buffer> {
  if (secret === null) throw new BackupError(`The backup ${manifest.id} does not contain the secret.`)
  const key = await deriveKey(passphrase, Buffer.from(secret.salt, 'base64'), secret)
  try {
    return unseal(key, Buffer.from(secret.sealed, 'base64'), contextOf(manifest))
  } catch {
    throw new BackupError(
      `The passphrase is not that of the backup ${manifest.id}, or the manifest was changed. Nothing was restored.`,
    )
  }
}

function contextOf(manifest: Unsealed): string {
  return `platen backup ${digestOf(manifest)}`
}

function deriveKey(
  passphrase: string,
  salt: Buffer,
  { cost, blockSize, parallelization }: Pick<SealedSecret, 'cost' | 'blockSize' | 'parallelization'>,
): Promise<Buffer> {
  const maxmem = 2 * 128 * cost * blockSize
  return derive(passphrase.normalize('NFC'), salt, 32, { cost, blockSize, parallelization, maxmem })
}
