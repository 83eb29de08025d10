import { readFile } from 'node:fs/promises'
import { MIN_PASSPHRASE_LENGTH } from '../../platform/backup/index.ts'
import { CommandError } from '../command-line/command-error.ts'
import { userPath } from '../command-line/user-path.ts'

export interface PassphraseOptions {
  passphraseFile?: string
}

/**
 * Reads the passphrase from the file of the option, or else from `PLATEN_BACKUP_PASSPHRASE`. Returns undefined if there
 * is neither.
 *
 * @throws {CommandError} if the file cannot be read, or the passphrase is too short
 */
export async function readPassphrase(
  { passphraseFile }: PassphraseOptions,
  fromSettings: string | undefined,
): Promise<string | undefined> {
  const passphrase = passphraseFile === undefined ? fromSettings : await readLine(userPath(passphraseFile))
  if (passphrase !== undefined && passphrase.length < MIN_PASSPHRASE_LENGTH) {
    throw new CommandError(`The passphrase is too short. Use ${MIN_PASSPHRASE_LENGTH} characters or more.`)
  }
  return passphrase
}

/** Reads the first line. Editors end a file with a line break, which is no part of the passphrase. */
async function readLine(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new CommandError(`The passphrase file cannot be read: ${error.message}.`)
  })
  return text.split(/\r?\n/)[0] ?? ''
}
