import { rotateSecret } from '../auth/index.ts'
import { ENCRYPTED_COLUMNS } from '../features.ts'
import { CommandError } from './command-line/command-error.ts'
import { writeLine } from './command-line/terminal.ts'
import { withDatabase } from './database-server.ts'

/** Rotates the secret of the service. Returns the exit status. */
export async function rotateServiceSecret(): Promise<number> {
  return withDatabase(async ({ config, clock, database }) => {
    const rotation = await rotateSecret({ database, clock, secretFrom: config, columns: ENCRYPTED_COLUMNS })
    if (rotation.status !== 'rotated') throw new CommandError(REFUSALS[rotation.status])
    const { changed, unreadable } = rotation
    writeLine(
      `Everything in the database is encrypted with the new secret: ${changed} values besides the signing keys.`,
    )
    if (unreadable > 0) {
      writeLine(`${unreadable} values were encrypted with neither secret before. They were left as they are.`)
    }
    const isFile = config.secretKey === undefined
    writeLine(
      isFile
        ? `The new secret is secret.key in ${config.dataDir}. Store a copy of it, or make a backup.`
        : 'Now remove PLATEN_SECRET_KEY_PREVIOUS on all nodes and restart them, one after another.',
    )
    writeLine('Backups from before need the earlier secret, which they contain unless they were made without it.')
    return 0
  })
}

const REFUSALS = {
  busy: 'Nothing was changed, because another process rotates the secret or makes a backup. Run the command again afterwards.',
  no_keys: 'Nothing was changed, because the database has no keys yet. The service creates them at its first start.',
  no_new_secret:
    'Nothing was changed, because the secret is a setting and there is no new one. On all nodes, set ' +
    'PLATEN_SECRET_KEY to a new secret (openssl rand -base64 32) and PLATEN_SECRET_KEY_PREVIOUS to the present one, ' +
    'restart the nodes one after another, and run the command again.',
} as const
