import { randomInt } from 'node:crypto'
import { ensureAdministrator } from '../auth/index.ts'
import type { Config } from '../config.ts'
import { seedSampleSettings } from '../orders/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { DatabasePool } from '../platform/db/index.ts'
import { seedSampleCatalogue } from '../products/index.ts'

/**
 * What a new installation needs to be of use at once. On the embedded database: the sample catalogue, and an
 * administrator with a random password. Elsewhere: an administrator, if a password was set for one. Outside production
 * everywhere: sample shipping methods and taxes.
 *
 * @param say takes lines for whoever started the service: the password, when one was made up
 */
export async function prepareFirstStart(
  config: Config,
  { db }: DatabasePool,
  clock: Clock,
  say: (line: string) => void,
): Promise<void> {
  const isEmbedded = config.databaseUrl === undefined
  // A shop in production must not charge made-up prices without noticing.
  if (!config.production) await seedSampleSettings(db, clock.now())
  if (isEmbedded && !config.production) await seedSampleCatalogue(db, clock.now())
  const { email, password } = config.admin
  if (password === undefined && (config.production || !isEmbedded)) return
  await ensureAdministrator({ db, clock }, { email, password, generatePassword, show: (made) => show(made, say) })
}

function show({ email, password }: { email: string; password: string }, say: (line: string) => void): void {
  say('')
  say('First start: an administrator was created. The password is shown this once.')
  say(`  e-mail    ${email}`)
  say(`  password  ${password}`)
  say('')
}

/** 24 letters and digits that cannot be mistaken for one another: 119 random bits. */
function generatePassword(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
  const group = (): string => Array.from({ length: 6 }, () => alphabet[randomInt(alphabet.length)]).join('')
  return Array.from({ length: 4 }, group).join('-')
}
