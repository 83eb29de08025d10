import { KEY_PURPOSES, type KeyPurpose, type RotatedKey, rotateSigningKeys } from '../auth/index.ts'
import { addSeconds } from '../platform/clock.ts'
import { usageError } from './command-line/command-error.ts'
import { writeError, writeLine } from './command-line/terminal.ts'
import { withDatabase } from './database-server.ts'

export interface RotateOptions {
  purpose?: KeyPurpose | 'all'
  now?: boolean
  revoke?: boolean
}

/** Rotates the signing keys of the service. Returns the exit status. */
export async function rotateKeys({ purpose, now, revoke = false }: RotateOptions): Promise<number> {
  if (revoke && purpose === undefined) {
    throw usageError(
      '--revoke requires --purpose. Add --purpose access_token (clients must refresh their access tokens), ' +
        'statement (receipts that were issued since the last rotation can no longer be verified), or all.',
    )
  }
  const purposes = purpose === undefined || purpose === 'all' ? KEY_PURPOSES : [purpose]
  return withDatabase(async ({ config, clock, database: { db } }) => {
    const deps = { db, clock, secretFrom: config }
    const rotation = await rotateSigningKeys(deps, { purposes, isForced: now === true, revoke })
    if (rotation.status === 'rotated') {
      const accessUntil = addSeconds(clock.now(), config.tokens.accessSeconds)
      for (const line of rotation.keys.flatMap((key) => describe(key, accessUntil))) writeLine(line)
      return 0
    }
    writeError(
      `Nothing was changed. The next key for ${rotation.purpose} was published recently, and clients that cache the key ` +
        `set may not have it before ${rotation.readyAt.toISOString()}. Try again then, or add --now to rotate anyway: ` +
        'those clients may reject new signatures until they fetch the key set again.',
    )
    return 1
  })
}

function describe({ purpose, retired, current, next, revoked }: RotatedKey, accessUntil: Date): string[] {
  const use = purpose === 'statement' ? 'still verifies receipts' : `verifies tokens until ${accessUntil.toISOString()}`
  return [
    `${purpose}: ${current} signs from now on, ${next} is published as the next key.`,
    ...(revoked.length === 0 ? [`  ${retired} is retired; it ${use}.`] : revoked.map((kid) => `  ${kid} is revoked.`)),
  ]
}
