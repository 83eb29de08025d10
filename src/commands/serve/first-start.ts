import { randomInt } from 'node:crypto'
import { ensureAdministrator, hasAdministrator } from '../../auth/index.ts'
import type { Config } from '../../config/index.ts'
import { seedSampleSettings } from '../../orders/index.ts'
import { seedSampleCatalogue } from '../../products/index.ts'
import type { Services } from '../../services.ts'

const NO_ADMINISTRATOR =
  'there is no administrator: set PLATEN_ADMIN_EMAIL and PLATEN_ADMIN_PASSWORD, and start the service again'

/**
 * Prepares a new installation. Outside of production it creates sample shipping methods and taxes, and on the embedded
 * database also a sample catalogue. Then it creates the first administrator. If `PLATEN_ADMIN_PASSWORD` is not set, it
 * does so only on the embedded database and never in production, with a random password. Otherwise it warns.
 *
 * @param write prints a line; used for a generated password
 */
export async function prepareFirstStart(
  config: Config,
  { database: { db }, storage, clock, log }: Pick<Services, 'database' | 'storage' | 'clock' | 'log'>,
  write: (line: string) => void,
): Promise<void> {
  const isEmbedded = config.databaseUrl === undefined
  // In production, a shop must never charge sample prices by accident.
  if (!config.production) await seedSampleSettings(db, clock.now())
  if (isEmbedded && !config.production) await seedSampleCatalogue(db, clock.now(), storage)
  const { email, password } = config.admin
  if (password === undefined && (config.production || !isEmbedded)) {
    if (!(await hasAdministrator(db))) log.warn({}, NO_ADMINISTRATOR)
    return
  }
  await ensureAdministrator({ db, clock }, { email, password, generatePassword, show: (made) => show(made, write) })
}

function show({ email, password }: { email: string; password: string }, write: (line: string) => void): void {
  write('')
  write('First start: an administrator was created. The password is shown only now.')
  write(`  email     ${email}`)
  write(`  password  ${password}`)
  write('')
}

/** Returns 24 random letters and digits that cannot be confused, which contain 119 random bits. */
function generatePassword(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
  const group = (): string => Array.from({ length: 6 }, () => alphabet[randomInt(alphabet.length)]).join('')
  return Array.from({ length: 4 }, group).join('-')
}
