import type { Config } from '../../../config/index.ts'
import { type Manifest, unsealSecret } from '../../../platform/backup/index.ts'
import { openPrompt } from '../../client/sign-in/prompt.ts'
import { CommandError } from '../../command-line/command-error.ts'
import { type PassphraseOptions, readPassphrase } from '../passphrase.ts'

export interface SecretOptions extends PassphraseOptions {
  withoutSecret?: boolean
}

/**
 * Decrypts the secret of a backup. Returns undefined if the backup has none, or if it is not to be restored.
 *
 * @throws {CommandError} if the settings have another secret than the backup, so that no service could start
 */
export async function readSealedSecret(
  manifest: Manifest,
  { withoutSecret = false, ...options }: SecretOptions,
  config: Config,
): Promise<Buffer | undefined> {
  if (manifest.secret === null || withoutSecret) return undefined
  const given = await readPassphrase(options, config.backupPassphrase)
  const secret = await unsealSecret(manifest, given ?? (await askPassphrase(manifest)))
  requireSecretOfSettings(config, secret)
  return secret
}

function requireSecretOfSettings({ secretKey, previousSecretKey }: Config, secret: Buffer): void {
  if (secretKey === undefined) return
  // After a rotation, `platen secret rotate` encrypts the restored database with the new secret again.
  if ([secretKey, previousSecretKey].includes(secret.toString('base64url'))) return
  throw new CommandError(
    'PLATEN_SECRET_KEY is another secret than that of the backup. Nothing was restored. Set it or ' +
      'PLATEN_SECRET_KEY_PREVIOUS to the secret of the backup, or unset both to restore secret.key.',
  )
}

export async function askPassphrase({ id }: Manifest): Promise<string> {
  const prompt = openPrompt()
  try {
    return await prompt.askHidden(`Passphrase of the backup ${id}: `)
  } finally {
    prompt.close()
  }
}
