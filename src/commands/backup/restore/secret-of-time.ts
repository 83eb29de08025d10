import { decryptsSigningKeys, findCommonSecret, readSecrets, type SecretDeps } from '../../../auth/index.ts'
import type { Config } from '../../../config/index.ts'
import {
  type BackupSource,
  findBackup,
  listBackups,
  type Manifest,
  unsealSecret,
} from '../../../platform/backup/index.ts'
import { CommandError } from '../../command-line/command-error.ts'
import { type PassphraseOptions, readPassphrase } from '../passphrase.ts'
import { askPassphrase } from './restored-secret.ts'

/** How many backups before the time, and as many after it, may give the secret. */
const NEAR = 3

interface Candidates {
  secrets: readonly Buffer[]
  /** Ids of the backups that have the secrets. Undefined: the settings have them. */
  backups: readonly string[] | undefined
}

/**
 * Reads the secrets that the service may have had at a time, the most probable one first: those of the settings, or of
 * the backups before and after the time. A rotation may be between a backup and the time. Returns undefined if no
 * backup has a secret.
 *
 * @throws {BackupError} if the passphrase is not that of the backups
 */
export async function readSecretsNear(
  source: BackupSource,
  at: Date,
  options: PassphraseOptions,
  config: Config,
): Promise<Candidates | undefined> {
  if (config.secretKey !== undefined) return { secrets: await readSecrets(config), backups: undefined }
  const near = nearestTo(at, await listReadable(source))
  const [nearest] = near
  if (nearest === undefined) return undefined
  const passphrase = (await readPassphrase(options, config.backupPassphrase)) ?? (await askPassphrase(nearest))
  const found: { id: string; secret: Buffer }[] = []
  let fault: unknown
  for (const manifest of near) {
    try {
      const secret = await unsealSecret(manifest, passphrase)
      if (!found.some((other) => other.secret.equals(secret))) found.push({ id: manifest.id, secret })
    } catch (error) {
      // A backup may have another passphrase than the others.
      fault ??= error
    }
  }
  if (found.length === 0) throw fault
  return { secrets: found.map(({ secret }) => secret), backups: found.map(({ id }) => id) }
}

/** Lists the backups whose manifest is undamaged, oldest first. @throws {BackupError} if there is no backup */
async function listReadable(source: BackupSource): Promise<Manifest[]> {
  const listed = (await listBackups(source)).flatMap(({ manifest }) => (manifest === undefined ? [] : [manifest]))
  return listed.length === 0 ? [await findBackup(source, {})] : listed
}

function nearestTo(at: Date, manifests: readonly Manifest[]): Manifest[] {
  const withSecret = manifests.filter(({ secret }) => secret !== null)
  const isBefore = ({ takenAt }: Manifest) => new Date(takenAt) <= at
  const before = withSecret.filter(isBefore).slice(-NEAR).reverse()
  const after = withSecret.filter((one) => !isBefore(one)).slice(0, NEAR)
  return Array.from({ length: NEAR }, (_, index) => [before[index], after[index]])
    .flat()
    .filter((one) => one !== undefined)
}

/**
 * Chooses the secret that decrypts what a database has.
 *
 * @throws {CommandError} if none of the candidates does
 */
export async function requireFitting({ secrets, backups }: Candidates, deps: SecretDeps): Promise<Buffer> {
  if (backups === undefined) {
    const [first] = secrets
    if (first !== undefined && (await decryptsSigningKeys(deps, secrets))) return first
    throw new CommandError(
      'PLATEN_SECRET_KEY is not the secret of the database at this time. Nothing was restored. Set ' +
        'PLATEN_SECRET_KEY_PREVIOUS to the secret of that time, or unset both to restore secret.key.',
    )
  }
  const fitting = await findCommonSecret(deps, secrets)
  if (fitting !== undefined) return fitting
  throw new CommandError(
    `The database of this time has another secret than the backups ${backups.join(', ')}. Nothing was restored. ` +
      'Restore a time that is nearer to a backup, or add --without-secret and copy secret.key of that time to the new folder.',
  )
}
