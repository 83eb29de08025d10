import { KEY_PURPOSES, type KeyPurpose, type RotatedKey, rotateSigningKeys } from '../auth/index.ts'
import { type Config, readConfig } from '../config.ts'
import { addSeconds, systemClock } from '../platform/clock.ts'
import { createLog } from '../platform/log.ts'
import { openForCommand } from './storehouse.ts'
import { complain, say } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const USAGE = 'platen keys rotate [--purpose access_token|statement|all] [--now] [--revoke]'

export interface KeysOptions {
  purpose?: string | undefined
  now?: boolean | undefined
  revoke?: boolean | undefined
}

/** `platen keys ...`: replaces the keys that the service signs with. Returns the exit code: 0 done, 1 refused. */
export async function keys([action, ...rest]: string[], options: KeysOptions): Promise<number> {
  if (action !== 'rotate' || rest.length > 0) throw new UsageError(`Call it like this: ${USAGE}`)
  const revoke = options.revoke === true
  const purposes = readPurposes(options.purpose, revoke)
  const config = readConfig()
  const log = createLog({ level: config.logLevel, destination: process.stderr })
  const { database, close } = await openForCommand(config, log)
  try {
    const deps = { db: database.db, clock: systemClock, dataDir: config.dataDir }
    const rotation = await rotateSigningKeys(deps, { purposes, isForced: options.now === true, revoke })
    if (rotation.status === 'rotated') {
      for (const key of rotation.keys) for (const line of describe(key, config)) say(line)
      return 0
    }
    complain(
      `Nothing was changed. The next key for ${rotation.purpose} was published a short time ago, and whoever keeps a ` +
        `copy of the key set may not have it before ${rotation.readyAt.toISOString()}. Try again then; --now does it ` +
        'all the same, and what is signed may be refused elsewhere until those copies are renewed.',
    )
    return 1
  } finally {
    await close()
  }
}

function readPurposes(given: string | undefined, revoke: boolean): readonly KeyPurpose[] {
  if (revoke && given === undefined) {
    throw new UsageError(
      'With --revoke say what is to count for nothing any more: --purpose access_token (everybody gets new access ' +
        'tokens by refreshing), statement (receipts since the last rotation can no longer be checked), or all.',
    )
  }
  if (given === undefined || given === 'all') return KEY_PURPOSES
  const purpose = KEY_PURPOSES.find((one) => one === given)
  if (purpose === undefined)
    throw new UsageError(`--purpose is "${given}", but takes ${KEY_PURPOSES.join(', ')} or all.`)
  return [purpose]
}

function describe({ purpose, retired, current, next, revoked }: RotatedKey, { tokens }: Config): string[] {
  const until = addSeconds(systemClock.now(), tokens.accessSeconds).toISOString()
  const ending = purpose === 'statement' ? 'checks receipts for ever' : `checks tokens until ${until}`
  return [
    `${purpose}: ${current} signs from now on, ${next} is published as the next one.`,
    ...(revoked.length === 0
      ? [`  ${retired} is retired; it ${ending}.`]
      : revoked.map((kid) => `  ${kid} is revoked.`)),
  ]
}
